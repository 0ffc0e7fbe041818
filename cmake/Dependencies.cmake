# What neyman stands on. The library: POSIX threads, zlib, libzstd, libxxhash. The program: cJSON, and
# cairo for charts. The tests look for cmocka themselves.

find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(cjson REQUIRED IMPORTED_TARGET libcjson)
if(NEY_CHARTS)
    pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo cairo-svg cairo-pdf cairo-png)
endif()

# Boosted trees are trained by libxgboost, which is loaded when it is first needed: its header says how
# its functions are called.
if(NEY_TREES)
    find_path(NEY_XGBOOST_INCLUDE xgboost/c_api.h)
    if(NOT NEY_XGBOOST_INCLUDE)
        message(STATUS "libxgboost-dev was not found: --trees will not train")
    endif()
endif()

set(neyman_dependencies Threads::Threads ZLIB::ZLIB PkgConfig::zstd PkgConfig::xxhash ${CMAKE_DL_LIBS} m)
