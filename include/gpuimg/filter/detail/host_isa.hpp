/// @file
/// Instruction sets of the host's processor: one program holds the code for several and takes the best at run time.
///
/// Loops over plain numbers are written once, in functions marked GPUIMG_ALWAYS_INLINE, which take on the instructions
/// of the function that they end up in; that one exists twice, plain and marked GPUIMG_TARGET_AVX2. Code with vectors
/// of its own is for one set: g++ splits vectors that are too wide for a function's own set before it inlines the
/// function.
#pragma once

#include <cstdint>

#if defined(__GNUC__)
#define GPUIMG_ALWAYS_INLINE [[gnu::always_inline]] inline
#else
#define GPUIMG_ALWAYS_INLINE inline
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#define GPUIMG_HAS_AVX2_TARGET 1
#define GPUIMG_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define GPUIMG_AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) inline
#else
#define GPUIMG_HAS_AVX2_TARGET 0
#endif

namespace gpuimg::filter::detail {

/// What the host's code is compiled for.
enum class host_isa : std::uint8_t {
  plain,  ///< what the compiler was told, on x86-64 at least SSE2
  avx2    ///< AVX2 and FMA
};

/// Whether the processor has it, and this program code for it.
inline bool has_isa(host_isa isa) noexcept {
#if GPUIMG_HAS_AVX2_TARGET
  return isa == host_isa::plain || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
  return isa == host_isa::plain;
#endif
}

/// The widest that has_isa() admits.
inline host_isa best_isa() noexcept { return has_isa(host_isa::avx2) ? host_isa::avx2 : host_isa::plain; }

}  // namespace gpuimg::filter::detail
