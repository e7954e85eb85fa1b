/// @file
/// From a line of sums to samples, on a host: the stores of convolution_arithmetic.hpp with the same results, in
/// operations that vector units have.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpuimg/core/image_view.hpp"
#include "gpuimg/filter/convolution_arithmetic.hpp"
#include "gpuimg/filter/detail/host_isa.hpp"

#if GPUIMG_HAS_AVX2_TARGET
#include <immintrin.h>
#endif

namespace gpuimg::filter::detail {

#if GPUIMG_HAS_AVX2_TARGET
GPUIMG_AVX2_INLINE __m256i eight_integers(const float* sums) noexcept {
  return _mm256_cvttps_epi32(_mm256_loadu_ps(sums));
}
GPUIMG_AVX2_INLINE __m256i eight_integers(const std::int32_t* sums) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums));
}
GPUIMG_AVX2_INLINE __m256i eight_integers(const std::uint16_t* sums) noexcept {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(sums)));
}
#endif

/// plain_store<float, D>.
template <class D>
struct line_rounding {
  GPUIMG_ALWAYS_INLINE D operator()(float sum) const noexcept { return saturate_round<D>(sum); }

#if GPUIMG_HAS_AVX2_TARGET
  /// Eight results before saturation.
  GPUIMG_AVX2_INLINE __m256i eight(const float* sums) const noexcept {
    const __m256 values = _mm256_loadu_ps(sums);
    // What is out of range becomes the least integer, and so does NaN.
    const __m256i integers = _mm256_cvtps_epi32(_mm256_min_ps(_mm256_set1_ps(1e6f), values));
    if constexpr (std::is_unsigned_v<D>) { return integers; }
    return _mm256_and_si256(integers, _mm256_castps_si256(_mm256_cmp_ps(values, values, _CMP_ORD_Q)));
  }
#endif
};

/// dividing_store for sums of up to 2^24 in magnitude and divisors of up to 2^22: an estimate, wrong by one at most,
/// and the exact rest that it leaves.
template <class D>
struct line_quotient {
  static_assert(sizeof(D) <= 2);
  static constexpr std::int64_t most = std::int64_t{1} << 22;
  std::int32_t divisor;
  float inverse;

  explicit line_quotient(std::int64_t by) noexcept
      : divisor(static_cast<std::int32_t>(by)), inverse(1.0f / static_cast<float>(by)) {}

  template <class A>
  GPUIMG_ALWAYS_INLINE D operator()(A sum) const noexcept {
    const auto exact = static_cast<std::int32_t>(sum);
    const auto estimate = static_cast<std::int32_t>(static_cast<float>(exact) * inverse);
    const std::int32_t twice = 2 * (exact - estimate * divisor);
    const std::int32_t odd = estimate & 1;
    const std::int32_t above = twice + odd > divisor ? 1 : 0;  // more than half, or half beside an odd number
    const std::int32_t below = twice - odd < -divisor ? 1 : 0;
    return saturate_round<D>(estimate + above - below);
  }

#if GPUIMG_HAS_AVX2_TARGET
  template <class A>
  GPUIMG_AVX2_INLINE __m256i eight(const A* sums) const noexcept {
    const __m256i exact = eight_integers(sums);
    const __m256i by = _mm256_set1_epi32(divisor);
    const __m256i estimate = _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(exact), _mm256_set1_ps(inverse)));
    const __m256i rest = _mm256_sub_epi32(exact, _mm256_mullo_epi32(estimate, by));
    const __m256i twice = _mm256_add_epi32(rest, rest);
    const __m256i odd = _mm256_and_si256(estimate, _mm256_set1_epi32(1));
    const __m256i above = _mm256_cmpgt_epi32(_mm256_add_epi32(twice, odd), by);  // -1 where it is so
    const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(-divisor), _mm256_sub_epi32(twice, odd));
    return _mm256_add_epi32(_mm256_sub_epi32(estimate, above), below);
  }
#endif
};

/// The same for an odd divisor and sums below 2^22: there are no halves, and from the nearest one the quotient is
/// farther than the error of its product.
template <class D>
struct line_mean : line_quotient<D> {
  static constexpr std::int64_t most_sum = (std::int64_t{1} << 22) - 1;
  using line_quotient<D>::line_quotient;

#if GPUIMG_HAS_AVX2_TARGET
  template <class A>
  GPUIMG_AVX2_INLINE __m256i eight(const A* sums) const noexcept {
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(eight_integers(sums)), _mm256_set1_ps(this->inverse)));
  }
#endif
};

/// The mean of 2 to 127 bytes, rounded to the nearest, halves to even, in 16 bits: a product with a reciprocal of
/// 16 bits, whose error is below one part in the sum.
class byte_mean {
 public:
  static constexpr std::int64_t most = 127;

  explicit byte_mean(std::int64_t number) noexcept
      : number_(static_cast<std::uint16_t>(number)),
        half_(static_cast<std::uint16_t>(number / 2)),
        even_(static_cast<std::uint16_t>(number % 2 == 0 ? 1 : 0)) {
    while ((std::int64_t{0x20000} << shift_) / number < 0x10000) { ++shift_; }
    reciprocal_ = static_cast<std::uint16_t>((std::int64_t{0x10000} << shift_) / number + 1);
  }

  GPUIMG_ALWAYS_INLINE std::uint8_t operator()(std::uint16_t sum) const noexcept {
    const auto raised = static_cast<std::uint16_t>(sum + half_);
    const auto quotient =
        static_cast<std::uint16_t>((static_cast<std::uint32_t>(raised) * reciprocal_ >> 16) >> shift_);
    const auto half = static_cast<std::uint16_t>(quotient * number_ == raised ? even_ : 0);
    return static_cast<std::uint8_t>(quotient - (quotient & half));
  }

#if GPUIMG_HAS_AVX2_TARGET
  GPUIMG_AVX2_INLINE __m256i sixteen(const std::uint16_t* sums) const noexcept {
    const auto all = [](std::uint16_t of) { return static_cast<short>(of); };
    const __m256i raised =
        _mm256_add_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums)), _mm256_set1_epi16(all(half_)));
    const __m256i quotient =
        _mm256_srl_epi16(_mm256_mulhi_epu16(raised, _mm256_set1_epi16(all(reciprocal_))), _mm_cvtsi32_si128(shift_));
    if (even_ == 0) { return quotient; }  // no halves
    const __m256i exact = _mm256_cmpeq_epi16(_mm256_mullo_epi16(quotient, _mm256_set1_epi16(all(number_))), raised);
    const __m256i half = _mm256_and_si256(exact, _mm256_set1_epi16(all(even_)));
    return _mm256_sub_epi16(quotient, _mm256_and_si256(quotient, half));
  }
#endif

 private:
  std::uint16_t number_;
  std::uint16_t half_;
  std::uint16_t even_;
  std::uint16_t reciprocal_ = 0;
  int shift_ = 0;
};

template <class A, class D, class Store>
GPUIMG_ALWAYS_INLINE void store_line_here(const A* __restrict sums, std::int64_t count, D* __restrict to,
                                          std::int64_t step, const Store& store) noexcept {
  if (step == static_cast<std::int64_t>(sizeof(D))) {
    for (std::int64_t x = 0; x < count; ++x) { to[x] = store(sums[x]); }
  } else {
    for (std::int64_t x = 0; x < count; ++x) { *gpuimg::detail::advance_bytes(to, x * step) = store(sums[x]); }
  }
}

#if GPUIMG_HAS_AVX2_TARGET
/// Sixteen integers of 32 bits, in order, saturated to 16.
template <bool Unsigned>
GPUIMG_AVX2_INLINE __m256i packed_words(__m256i low, __m256i high) noexcept {
  const __m256i words = Unsigned ? _mm256_packus_epi32(low, high) : _mm256_packs_epi32(low, high);
  return _mm256_permute4x64_epi64(words, 0xD8);
}
template <bool Unsigned>
GPUIMG_AVX2_INLINE __m256i packed_bytes(__m256i low, __m256i high) noexcept {
  const __m256i bytes = Unsigned ? _mm256_packus_epi16(low, high) : _mm256_packs_epi16(low, high);
  return _mm256_permute4x64_epi64(bytes, 0xD8);
}

/// 32 bytes of results.
template <class D, class Store, class A>
GPUIMG_AVX2_INLINE __m256i packed_results(const A* sums, const Store& store) noexcept {
  constexpr bool positive = std::is_unsigned_v<D>;
  if constexpr (std::is_same_v<Store, byte_mean>) {
    return packed_bytes<true>(store.sixteen(sums), store.sixteen(sums + 16));
  } else if constexpr (sizeof(D) == 2) {
    return packed_words<positive>(store.eight(sums), store.eight(sums + 8));
  } else {
    return packed_bytes<positive>(packed_words<false>(store.eight(sums), store.eight(sums + 8)),
                                  packed_words<false>(store.eight(sums + 16), store.eight(sums + 24)));
  }
}

template <class A, class D, class Store>
GPUIMG_TARGET_AVX2 void store_line_avx2(const A* sums, std::int64_t count, D* to, std::int64_t step,
                                        const Store& store) noexcept {
  constexpr bool packs = std::is_same_v<Store, line_rounding<D>> || std::is_same_v<Store, line_quotient<D>> ||
                         std::is_same_v<Store, line_mean<D>> || std::is_same_v<Store, byte_mean>;
  if constexpr (packs) {
    constexpr std::int64_t together = 32 / static_cast<std::int64_t>(sizeof(D));
    if (step == static_cast<std::int64_t>(sizeof(D))) {
      for (; count >= together; count -= together, sums += together, to += together) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), packed_results<D>(sums, store));
      }
    }
  }
  store_line_here(sums, count, to, step, store);
}
#endif

/// Writes `count` sums to samples `step` bytes apart.
template <class A, class D, class Store>
void store_line([[maybe_unused]] host_isa isa, const A* sums, std::int64_t count, D* to, std::int64_t step,
                const Store& store) noexcept {
#if GPUIMG_HAS_AVX2_TARGET
  if (isa == host_isa::avx2) { return store_line_avx2(sums, count, to, step, store); }
#endif
  store_line_here(sums, count, to, step, store);
}

/// Calls run(store), with the store of this file where there is one.
template <class Store, class Run>
void with_line_store(const Store& store, const Run& run) {
  run(store);
}
template <class D, class Run>
requires(std::is_integral_v<D> && sizeof(D) <= 2) void with_line_store(const plain_store<float, D>&, const Run& run) {
  run(line_rounding<D>{});
}
template <class D, class Run>
requires(std::is_integral_v<D> && sizeof(D) <= 2) void with_line_store(const dividing_store<float, D>& store,
                                                                       const Run& run) {
  if (store.divisor <= line_quotient<D>::most) {
    run(line_quotient<D>(store.divisor));
  } else {
    run(store);
  }
}

}  // namespace gpuimg::filter::detail
