# Configures, builds and runs one consumer in WORK, in one WAY (find_package or add_subdirectory).
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${status}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(options -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
if(CUDA)
  list(APPEND options -DCMAKE_CUDA_COMPILER=${CUDA})
endif()
if(WAY STREQUAL find_package)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
  list(APPEND options -DCMAKE_PREFIX_PATH=${WORK}/prefix)
else()
  list(APPEND options -DGPUIMG_SOURCE=${SOURCE})
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${CONSUMER} -B ${WORK}/build -G ${GENERATOR} ${options})

# A system include directory would hide warnings, and let a copy in the CUDA toolkit win over ours.
file(READ ${WORK}/build/compile_commands.json commands)
if(commands MATCHES "-isystem[ =]*${WORK}/prefix|-isystem[ =]*${SOURCE}/include")
  message(FATAL_ERROR "the include directory of gpuimg is a system directory: ${CMAKE_MATCH_0}")
endif()

run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
