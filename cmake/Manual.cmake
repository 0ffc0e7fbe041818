# Manual pages and completions are written by the program itself, from its command and option
# tables: they cannot disagree with it.

set(NEY_MANUAL_DIR "${CMAKE_BINARY_DIR}/share")
set(stamp "${CMAKE_BINARY_DIR}/manual.stamp")
add_custom_command(
    OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:neyman_program>" "-DOUT=${NEY_MANUAL_DIR}"
            -P "${CMAKE_CURRENT_LIST_DIR}/WriteManual.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS neyman_program "${CMAKE_CURRENT_LIST_DIR}/WriteManual.cmake"
    COMMENT "Writing manual pages and completions"
    VERBATIM)
add_custom_target(neyman_manual ALL DEPENDS "${stamp}")
