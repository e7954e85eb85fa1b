# Defines gpuimg::gpuimg (the headers) and gpuimg::emulator (kernels on the CPU; needs Boost.Context).
#
# Reads gpuimg_include_dir. The targets are INTERFACE libraries with an ALIAS: an IMPORTED target would turn into
# -isystem, which hides warnings and lets the include directories of the CUDA toolkit win.
if(TARGET gpuimg::gpuimg)
  return()
endif()

find_package(Threads REQUIRED)

add_library(gpuimg INTERFACE)
add_library(gpuimg::gpuimg ALIAS gpuimg)
target_compile_features(gpuimg INTERFACE cxx_std_20)
# By option, since the feature cuda_std_20 is unknown to CMake 3.25 and to projects without CUDA.
target_compile_options(gpuimg INTERFACE $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>)
target_include_directories(gpuimg INTERFACE "${gpuimg_include_dir}")
target_link_libraries(gpuimg INTERFACE Threads::Threads)

find_package(Boost 1.74 QUIET COMPONENTS context)
if(TARGET Boost::context)
  add_library(gpuimg_emulator INTERFACE)
  add_library(gpuimg::emulator ALIAS gpuimg_emulator)
  target_link_libraries(gpuimg_emulator INTERFACE gpuimg Boost::context)
endif()
