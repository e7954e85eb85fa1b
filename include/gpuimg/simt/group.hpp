/// @file
/// What a kernel may ask of the threads that run it: the concepts warp_group and block_group.
///
/// A kernel is a function object:
/// @code
/// struct my_kernel {
///   static constexpr int threads = 128;           // a block's, a multiple of 32 up to 1024
///   struct shared_storage { int sums[32]; };      // plain; one per thread block, not initialised
///   image_view<const float> source;               // parameters are members, trivially copyable
///   template <gpuimg::simt::block_group Block>
///   GPUIMG_FUNCTION void operator()(Block& block, shared_storage& shared) const;
/// };
/// @endcode
/// simt::launch(execution, grid, my_kernel{...}) runs it on a CUDA device, simt::emulate(grid, my_kernel{...}) on the
/// host with one fiber a thread. A kernel may also name `static constexpr int min_blocks_per_sm`, the second launch
/// bound of CUDA.
///
/// Rules that both forms share: a collective is reached by every thread of its group (predicates are arguments,
/// never control flow around a collective); a thread that leaves the kernel reaches no further collective; no thread
/// waits for another by polling memory. Operands are trivially copyable, of 16 bytes at most.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpuimg/core/config.hpp"

namespace gpuimg::simt {

/// Threads in a warp, on every target.
inline constexpr int warp_size = 32;

/// Threads in a block, at most, on every target.
inline constexpr int max_block_size = 1024;

/// Bytes of a value that threads may exchange in a collective, at most.
inline constexpr std::size_t max_operand_size = 16;

/// A type whose values threads may exchange in a collective.
template <class T>
concept collective_operand = std::is_trivially_copyable_v<T> && sizeof(T) <= max_operand_size;

/// A type whose values match_any compares, by their bits.
template <class T>
concept match_operand = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&sizeof(T) <= 8;

/// Number of thread blocks along each axis. Any product below 2^63; no axis has a limit of its own, and any may be 0.
struct grid_extent {
  std::int64_t x = 1;
  std::int64_t y = 1;
  std::int64_t z = 1;

  GPUIMG_FUNCTION constexpr std::int64_t size() const noexcept { return z == 0 ? 0 : x * y * z; }
};

/// Position of a thread block in its grid.
struct grid_index {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
};

/// Binary operators for reduce and scan.
struct plus {
  template <class T>
  GPUIMG_FUNCTION constexpr T operator()(T a, T b) const noexcept {
    return static_cast<T>(a + b);
  }
};
struct minimum {
  template <class T>
  GPUIMG_FUNCTION constexpr T operator()(T a, T b) const noexcept {
    return b < a ? b : a;
  }
};
struct maximum {
  template <class T>
  GPUIMG_FUNCTION constexpr T operator()(T a, T b) const noexcept {
    return a < b ? b : a;
  }
};
struct bit_or {
  template <class T>
  GPUIMG_FUNCTION constexpr T operator()(T a, T b) const noexcept {
    return static_cast<T>(a | b);
  }
};

/// Thirty-two threads that move together.
///
/// - rank() is the lane, 0..31; size() is 32.
/// - sync() orders memory accesses among the lanes. The other collectives exchange values and order nothing.
/// - shuffle(v, lane) reads lane's value (lane modulo 32). shuffle_up/down(v, n) read from the lane n below/above and
///   return the caller's own value where there is none; shuffle_xor(v, mask) reads lane ^ mask. n and mask are 0..31.
/// - ballot(p) has bit i set where lane i's predicate holds; any(p) and all(p) say whether it holds somewhere or
///   everywhere; match_any(v) has bit i set where lane i holds the same bits as the caller.
/// - reduce(v, op) returns the result to every lane. inclusive_scan(v, op) and exclusive_scan(v, op) go in lane order;
///   the exclusive one starts from T{}, which its operator therefore sees, and with a third argument also
///   returns the reduction of all values (without T{}) through it. `op` is associative, for reduce also commutative.
///   The order of operations is fixed, and the same on every target: floating-point results agree bit for bit.
template <class W>
concept warp_group = requires(W& w, std::uint32_t u, int i, bool p) {
  { W::size() } -> std::convertible_to<int>;
  { w.rank() } -> std::convertible_to<int>;
  w.sync();
  { w.shuffle(u, i) } -> std::same_as<std::uint32_t>;
  { w.shuffle_up(u, i) } -> std::same_as<std::uint32_t>;
  { w.shuffle_down(u, i) } -> std::same_as<std::uint32_t>;
  { w.shuffle_xor(u, i) } -> std::same_as<std::uint32_t>;
  { w.ballot(p) } -> std::same_as<std::uint32_t>;
  { w.any(p) } -> std::same_as<bool>;
  { w.all(p) } -> std::same_as<bool>;
  { w.match_any(u) } -> std::same_as<std::uint32_t>;
  { w.reduce(u, plus{}) } -> std::same_as<std::uint32_t>;
  { w.inclusive_scan(u, plus{}) } -> std::same_as<std::uint32_t>;
  { w.exclusive_scan(u, plus{}) } -> std::same_as<std::uint32_t>;
  { w.exclusive_scan(u, plus{}, u) } -> std::same_as<std::uint32_t>;
};

/// The threads of one thread block.
///
/// size() is a compile-time multiple of 32; rank() is 0..size()-1; index() is the block's position in the grid and
/// grid() the grid's extent. warp() is the caller's warp and warp_rank() its number, 0..size()/32-1. Collectives as for
/// a warp, in the order of ranks; sync() and all the others order memory accesses among the threads. Floating-point
/// sums of a block may differ in rounding from target to target.
template <class B>
concept block_group = requires(B& b, std::uint32_t u, bool p) {
  { B::size() } -> std::convertible_to<int>;
  { b.rank() } -> std::convertible_to<int>;
  { b.warp_rank() } -> std::convertible_to<int>;
  { b.index() } -> std::same_as<grid_index>;
  { b.grid() } -> std::same_as<grid_extent>;
  b.sync();
  { b.any(p) } -> std::same_as<bool>;
  { b.all(p) } -> std::same_as<bool>;
  { b.warp() } -> warp_group;
  { b.reduce(u, plus{}) } -> std::same_as<std::uint32_t>;
  { b.inclusive_scan(u, plus{}) } -> std::same_as<std::uint32_t>;
  { b.exclusive_scan(u, plus{}) } -> std::same_as<std::uint32_t>;
  { b.exclusive_scan(u, plus{}, u) } -> std::same_as<std::uint32_t>;
};

/// A kernel, but for its call operator, which is a template.
template <class K>
concept block_kernel = std::is_trivially_copyable_v<K> &&(K::threads > 0) && (K::threads % warp_size == 0) &&
                       (K::threads <= max_block_size) &&
                       std::is_trivially_default_constructible_v<
                           typename K::shared_storage>&& std::is_trivially_destructible_v<typename K::shared_storage>;

/// Bits of the lanes below `lane`.
GPUIMG_FUNCTION constexpr std::uint32_t lanes_below(int lane) noexcept { return (std::uint32_t{1} << lane) - 1; }

}  // namespace gpuimg::simt
