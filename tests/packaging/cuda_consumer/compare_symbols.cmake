# Fails when two shared libraries define a kernel or a launcher of gpuimg under the same name.
cmake_minimum_required(VERSION 3.25)

foreach(library FIRST SECOND)
  execute_process(COMMAND ${NM} --dynamic --defined-only --format=just-symbols ${${library}} OUTPUT_VARIABLE symbols
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]*gpuimg[^\n]*(run_kernel|launch)[^\n]*" ${library}_symbols "${symbols}")
  if(NOT ${library}_symbols)
    message(FATAL_ERROR "${${library}} exports no kernel: the comparison would say nothing")
  endif()
endforeach()
foreach(symbol IN LISTS FIRST_symbols)
  if(symbol IN_LIST SECOND_symbols)
    message(FATAL_ERROR "both libraries define ${symbol}")
  endif()
endforeach()
