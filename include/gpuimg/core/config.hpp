/// @file
/// Compiler and target macros. Every other header includes this one.
#pragma once

/// Marks a function that runs on the host and, when a CUDA compiler reads it, on the device too.
#if defined(__CUDACC__)
#define GPUIMG_FUNCTION __host__ __device__
#else
#define GPUIMG_FUNCTION
#endif

/// Before a GPUIMG_FUNCTION that calls functions of its template arguments: with a type for the host alone, nvcc warns
/// of calls that only the host makes.
#if defined(__NVCC__)
#define GPUIMG_ANY_TARGET _Pragma("nv_exec_check_disable")
#else
#define GPUIMG_ANY_TARGET
#endif

/// Defined while device code is being generated.
#if defined(__CUDA_ARCH__)
#define GPUIMG_DEVICE_PASS 1
#endif

#if defined(__CUDA_ARCH__)
#define GPUIMG_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define GPUIMG_UNROLL _Pragma("clang loop unroll(enable)")
#else
#define GPUIMG_UNROLL
#endif

/// Before a loop whose body is long enough as it is.
#if defined(__CUDA_ARCH__)
#define GPUIMG_NO_UNROLL _Pragma("unroll 1")
#elif defined(__clang__)
#define GPUIMG_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define GPUIMG_NO_UNROLL
#endif

/// Marks a function that is called seldom: devices keep its registers apart from its callers'.
#if defined(__CUDACC__)
#define GPUIMG_COLD __noinline__
#else
#define GPUIMG_COLD
#endif
