/// @file
/// The inline namespace of everything that holds kernels.
///
/// Two libraries of one program may be built from different versions of these headers, or for different devices. Their
/// instances of one kernel template must not be merged by the linker: the namespace tells them apart.
#pragma once

#if !defined(__CUDACC__)
#error "gpuimg/simt/detail/target_namespace.cuh needs a CUDA compiler"
#else

#include "gpuimg/core/version.hpp"

// Joins up to 24 pieces of a name; CUDA knows fewer architectures than that.
#define GPUIMG_JOIN_24(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, ...) \
  a##b##c##d##e##f##g##h##i##j##k##l##m##n##o##p##q##r##s##t##u##v##w##x
#define GPUIMG_JOIN(...) GPUIMG_JOIN_24(__VA_ARGS__, , , , , , , , , , , , , , , , , , , , , , , , )

#if defined(__CUDA_ARCH_LIST__)
#define GPUIMG_TARGET_NAMESPACE \
  GPUIMG_JOIN(v, GPUIMG_VERSION_MAJOR, _, GPUIMG_VERSION_MINOR, _, GPUIMG_VERSION_PATCH, _sm, __CUDA_ARCH_LIST__)
#else
#define GPUIMG_TARGET_NAMESPACE GPUIMG_JOIN(v, GPUIMG_VERSION_MAJOR, _, GPUIMG_VERSION_MINOR, _, GPUIMG_VERSION_PATCH)
#endif

#endif
