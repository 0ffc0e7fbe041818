# What neyman stands on. The library: OpenMP, zlib, libzstd, libxxhash. The program: cJSON besides.
# The tests look for cmocka themselves.

find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(cjson REQUIRED IMPORTED_TARGET libcjson)

set(neyman_dependencies OpenMP::OpenMP_C ZLIB::ZLIB PkgConfig::zstd PkgConfig::xxhash m)
