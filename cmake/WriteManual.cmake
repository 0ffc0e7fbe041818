# cmake -DPROGRAM=... -DOUT=... -P WriteManual.cmake: write man pages and completions below OUT,
# laid out as below the install prefix's share/.

function(ask file)
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY "${OUT}/${folder}")
    execute_process(COMMAND "${PROGRAM}" help ${ARGN} OUTPUT_FILE "${OUT}/${file}"
                    ERROR_VARIABLE complaint RESULT_VARIABLE code)
    file(SIZE "${OUT}/${file}" size)
    if(NOT code EQUAL 0 OR size EQUAL 0)
        list(JOIN ARGN " " words)
        message(FATAL_ERROR "neyman help ${words} failed (${code}): ${complaint}")
    endif()
endfunction()

execute_process(COMMAND "${PROGRAM}" help --commands ERROR_VARIABLE complaint RESULT_VARIABLE code
                OUTPUT_VARIABLE commands OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT code EQUAL 0 OR commands STREQUAL "")
    message(FATAL_ERROR "neyman help --commands failed (${code}): ${complaint}")
endif()
string(REPLACE "\n" ";" commands "${commands}")

file(REMOVE_RECURSE "${OUT}")
ask(man/man1/neyman.1 --man)
foreach(command IN LISTS commands)
    ask(man/man1/neyman-${command}.1 --man ${command})
endforeach()
ask(bash-completion/completions/neyman --completion bash)
ask(zsh/site-functions/_neyman --completion zsh)
ask(fish/vendor_completions.d/neyman.fish --completion fish)
