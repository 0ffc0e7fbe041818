# How every C file of the tree is compiled: the interface target `neyman_flags`.

include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Debug is what the tests run: asserts on, and enough optimisation for the compiler to follow the
# flow of values, which half of its warnings need.
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
if(NEY_OPTIMISED_TESTS)
    set(CMAKE_C_FLAGS_DEBUG "-O2 -g")
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(neyman_flags INTERFACE)
# The second is for realpath, madvise and MAP_ANONYMOUS, which glibc keeps outside plain POSIX; the third
# for files of 2 GB and more on 32-bit machines.
target_compile_definitions(neyman_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE
                           _FILE_OFFSET_BITS=64)

# The same bits at every level of optimisation: products and sums are not fused, except in the loops
# compiled for AVX2 with FMA (src/linalg/*_avx2.c), where compilers may fuse them differently. So
# results are the same on one machine and build, and may differ in the last bits between builds. No
# call sets errno for us, which lets sqrt and friends be inlined.
target_compile_options(neyman_flags INTERFACE -ffp-contract=off -fno-math-errno)

target_compile_options(neyman_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -Wundef -Wwrite-strings -Wformat=2
    $<$<C_COMPILER_ID:GNU>:-fno-semantic-interposition>
    $<$<BOOL:${NEY_WERROR}>:-Werror>)

# Flags that make a memory error harder to exploit, for what is installed; doc/adr/0023 has the cost of
# each. The sanitizers have checks of their own.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT NEY_SANITIZE AND NOT NEY_COVERAGE)
    set(NEY_HARDENED ON)
    foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection
                 -ftrivial-auto-var-init=zero)
        string(MAKE_C_IDENTIFIER "NEY_HAS${flag}" known)
        check_c_compiler_flag("-Werror ${flag}" ${known})
        if(${known})
            target_compile_options(neyman_flags INTERFACE ${flag})
        endif()
    endforeach()
    target_compile_options(neyman_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    foreach(word relro now noexecstack)
        check_linker_flag(C "LINKER:-z,${word}" NEY_LINKS_${word})
        if(NEY_LINKS_${word})
            target_link_options(neyman_flags INTERFACE "LINKER:-z,${word}")
        endif()
    endforeach()
    check_pie_supported(LANGUAGES C)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

if(NEY_SANITIZE)
    set(sanitize_flags -fsanitize=${NEY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(neyman_flags INTERFACE ${sanitize_flags})
    target_link_options(neyman_flags INTERFACE ${sanitize_flags})
endif()

if(NEY_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "NEY_FUZZ needs clang: libFuzzer is part of it")
    endif()
    target_compile_options(neyman_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(neyman_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(NEY_COVERAGE)
    target_compile_options(neyman_flags INTERFACE --coverage)
    target_link_options(neyman_flags INTERFACE --coverage)
endif()

# An export map is an ELF matter; elsewhere hidden visibility alone draws the line.
file(WRITE "${CMAKE_BINARY_DIR}/probe.map" "PROBE { local: *; };\n")
check_linker_flag(C "LINKER:--version-script=${CMAKE_BINARY_DIR}/probe.map" NEY_HAS_VERSION_SCRIPT)
