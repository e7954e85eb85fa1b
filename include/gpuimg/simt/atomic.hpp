/// @file
/// Atomic operations on global or shared memory, for kernels that run on a device or in the emulator.
///
/// All return the value from before the operation. None orders other memory accesses: use memory_fence() or a
/// collective for that. Results do not depend on the order in which threads come, but the returned values do.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "gpuimg/core/config.hpp"

namespace gpuimg::simt {

/// A type with atomic operations on every target.
template <class T>
concept atomic_operand =
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint64_t>;

namespace detail {

/// The type that CUDA's atomic functions know for T: its 64-bit integer is unsigned long long.
template <atomic_operand T>
using device_atomic = std::conditional_t<sizeof(T) == 8, unsigned long long, T>;

#if defined(GPUIMG_DEVICE_PASS)
template <atomic_operand T>
__device__ device_atomic<T>* device_address(T& target) noexcept {
  return reinterpret_cast<device_atomic<T>*>(&target);
}
#else
/// Replaces target by next(target).
template <atomic_operand T, class Next>
T atomic_update(T& target, const Next& next) noexcept {
  const std::atomic_ref<T> shared(target);
  T seen = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(seen, next(seen), std::memory_order_relaxed)) {}
  return seen;
}
#endif

}  // namespace detail

/// target += value, modulo 2^32 or 2^64.
template <atomic_operand T>
GPUIMG_FUNCTION T atomic_add(T& target, std::type_identity_t<T> value) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return static_cast<T>(atomicAdd(detail::device_address(target), static_cast<detail::device_atomic<T>>(value)));
#else
  return std::atomic_ref<T>(target).fetch_add(value, std::memory_order_relaxed);
#endif
}

/// target |= value.
template <atomic_operand T>
GPUIMG_FUNCTION T atomic_or(T& target, std::type_identity_t<T> value) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return static_cast<T>(atomicOr(detail::device_address(target), static_cast<detail::device_atomic<T>>(value)));
#else
  return std::atomic_ref<T>(target).fetch_or(value, std::memory_order_relaxed);
#endif
}

/// target ^= value.
template <atomic_operand T>
GPUIMG_FUNCTION T atomic_xor(T& target, std::type_identity_t<T> value) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return static_cast<T>(atomicXor(detail::device_address(target), static_cast<detail::device_atomic<T>>(value)));
#else
  return std::atomic_ref<T>(target).fetch_xor(value, std::memory_order_relaxed);
#endif
}

/// target = the greater of target and value.
template <atomic_operand T>
GPUIMG_FUNCTION T atomic_max(T& target, std::type_identity_t<T> value) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return static_cast<T>(atomicMax(detail::device_address(target), static_cast<detail::device_atomic<T>>(value)));
#else
  return detail::atomic_update(target, [value](T seen) { return seen < value ? value : seen; });
#endif
}

/// target = the lesser of target and value.
template <atomic_operand T>
GPUIMG_FUNCTION T atomic_min(T& target, std::type_identity_t<T> value) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return static_cast<T>(atomicMin(detail::device_address(target), static_cast<detail::device_atomic<T>>(value)));
#else
  return detail::atomic_update(target, [value](T seen) { return value < seen ? value : seen; });
#endif
}

/// target = desired, if it is `expected`; it was if `expected` is returned.
template <atomic_operand T>
GPUIMG_FUNCTION T atomic_compare_exchange(T& target, std::type_identity_t<T> expected,
                                          std::type_identity_t<T> desired) noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  return static_cast<T>(atomicCAS(detail::device_address(target), static_cast<detail::device_atomic<T>>(expected),
                                  static_cast<detail::device_atomic<T>>(desired)));
#else
  std::atomic_ref<T>(target).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  return expected;
#endif
}

/// Other threads of the grid see what the caller wrote before the fence no later than what it writes after it.
GPUIMG_FUNCTION inline void memory_fence() noexcept {
#if defined(GPUIMG_DEVICE_PASS)
  __threadfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace gpuimg::simt
