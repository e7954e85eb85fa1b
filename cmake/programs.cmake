# What the project's own programs (tests, examples, benchmarks) share: CUDA, warnings, sanitizers, ccache.
set_property(GLOBAL PROPERTY USE_FOLDERS ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT multi_config AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

find_program(GPUIMG_CCACHE ccache)
mark_as_advanced(GPUIMG_CCACHE)
if(GPUIMG_CCACHE)
  foreach(language CXX CUDA)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${GPUIMG_CCACHE})
    endif()
  endforeach()
endif()

# A toolkit is found in its usual place even where nvcc is not on PATH.
if(NOT GPUIMG_CUDA STREQUAL OFF)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(GPUIMG_NVCC nvcc PATHS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(GPUIMG_NVCC)
    if(GPUIMG_NVCC)
      set(ENV{CUDACXX} ${GPUIMG_NVCC})
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
endif()

set(GPUIMG_WITH_CUDA OFF)
if(CMAKE_CUDA_COMPILER)
  # Machine code for these, and PTX of the newest for what comes after it. Set before CMake tries the compiler.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 90 CACHE STRING "CUDA architectures")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(GPUIMG_WITH_CUDA ON)
elseif(GPUIMG_CUDA STREQUAL ON)
  message(FATAL_ERROR "GPUIMG_CUDA is ON, but there is no CUDA compiler. Set CUDACXX or CMAKE_CUDA_COMPILER.")
endif()
message(STATUS "gpuimg ${PROJECT_VERSION}: CUDA ${GPUIMG_WITH_CUDA} ${CMAKE_CUDA_ARCHITECTURES}")

# Linked by every program of the project, never by users of the library.
add_library(gpuimg_build_settings INTERFACE)
set(host_warnings -Wall -Wextra -Wshadow -Wconversion)
list(JOIN host_warnings "," forwarded_warnings)
target_compile_options(gpuimg_build_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Werror>
  $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic>
  "$<$<COMPILE_LANGUAGE:CXX>:${host_warnings}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Werror,${forwarded_warnings}>")
target_compile_definitions(gpuimg_build_settings INTERFACE GPUIMG_WITH_CUDA=$<BOOL:${GPUIMG_WITH_CUDA}>
                                                           GPUIMG_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

if(GPUIMG_SANITIZE OR GPUIMG_FUZZ)
  set(sanitize -fsanitize=address,undefined)
  if(GPUIMG_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      message(FATAL_ERROR "GPUIMG_FUZZ needs clang (libFuzzer); the compiler is ${CMAKE_CXX_COMPILER_ID}.")
    endif()
    list(APPEND sanitize -fsanitize=fuzzer-no-link)
  endif()
  target_compile_options(gpuimg_build_settings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:${sanitize};-fno-sanitize-recover=all;-fno-omit-frame-pointer;-g;-O1>")
  target_link_options(gpuimg_build_settings INTERFACE ${sanitize})
endif()

# gpuimg_sources(<variable> <directory>): every C++ source of a directory, and every CUDA source where there is nvcc.
function(gpuimg_sources variable directory)
  file(GLOB cpp CONFIGURE_DEPENDS ${directory}/*.cpp)
  file(GLOB cu CONFIGURE_DEPENDS ${directory}/*.cu)
  if(NOT GPUIMG_WITH_CUDA)
    set(cu "")
  endif()
  set(${variable} ${cpp} ${cu} PARENT_SCOPE)
endfunction()
