/// @file
/// A warp and a block of a CUDA device: the groups that simt::launch hands to a kernel.
#pragma once

#if !defined(__CUDACC__)
#error "gpuimg/simt/cuda_group.cuh needs a CUDA compiler"
#else

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "gpuimg/simt/detail/one_target.hpp"
#include "gpuimg/simt/detail/target_namespace.cuh"
#include "gpuimg/simt/group.hpp"

namespace gpuimg::simt {
inline namespace GPUIMG_TARGET_NAMESPACE {

/// A warp of a CUDA block; models warp_group. Needs a one-dimensional block.
///
/// May be made anywhere in a kernel that all 32 lanes reach.
class cuda_warp {
 public:
  GPUIMG_FUNCTION static constexpr int size() noexcept { return warp_size; }
  GPUIMG_FUNCTION int rank() const { GPUIMG_ON_DEVICE(return static_cast<int>(threadIdx.x) % warp_size;) }

  GPUIMG_FUNCTION void sync() const { GPUIMG_ON_DEVICE(__syncwarp();) }

  template <collective_operand T>
  GPUIMG_FUNCTION T shuffle([[maybe_unused]] T value, [[maybe_unused]] int lane) const {
    GPUIMG_ON_DEVICE(return exchange(value, [lane](auto word) { return __shfl_sync(everyone, word, lane); });)
  }
  template <collective_operand T>
  GPUIMG_FUNCTION T shuffle_up([[maybe_unused]] T value, [[maybe_unused]] int distance) const {
    GPUIMG_ON_DEVICE(return exchange(value, [distance](auto word) {
                              return __shfl_up_sync(everyone, word, static_cast<unsigned>(distance));
                            });)
  }
  template <collective_operand T>
  GPUIMG_FUNCTION T shuffle_down([[maybe_unused]] T value, [[maybe_unused]] int distance) const {
    GPUIMG_ON_DEVICE(return exchange(value, [distance](auto word) {
                              return __shfl_down_sync(everyone, word, static_cast<unsigned>(distance));
                            });)
  }
  template <collective_operand T>
  GPUIMG_FUNCTION T shuffle_xor([[maybe_unused]] T value, [[maybe_unused]] int mask) const {
    GPUIMG_ON_DEVICE(return exchange(value, [mask](auto word) { return __shfl_xor_sync(everyone, word, mask); });)
  }

  GPUIMG_FUNCTION std::uint32_t ballot([[maybe_unused]] bool p) const {
    GPUIMG_ON_DEVICE(return __ballot_sync(everyone, p);)
  }
  GPUIMG_FUNCTION bool any([[maybe_unused]] bool p) const { GPUIMG_ON_DEVICE(return __any_sync(everyone, p) != 0;) }
  GPUIMG_FUNCTION bool all([[maybe_unused]] bool p) const { GPUIMG_ON_DEVICE(return __all_sync(everyone, p) != 0;) }

  template <match_operand T>
  GPUIMG_FUNCTION std::uint32_t match_any([[maybe_unused]] T value) const {
    GPUIMG_ON_DEVICE(return match(value);)
  }

  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T reduce([[maybe_unused]] T value, [[maybe_unused]] Operator op) const {
    GPUIMG_ON_DEVICE(return combine(value, op);)
  }

  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T inclusive_scan(T value, Operator op) const {
    GPUIMG_UNROLL
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const T below = shuffle_up(value, distance);
      if (rank() >= distance) { value = op(below, value); }
    }
    return value;
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan(T value, Operator op) const {
    return shift(inclusive_scan(value, op), op);
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan(T value, Operator op, T& total) const {
    const T inclusive = inclusive_scan(value, op);
    total = shuffle(inclusive, warp_size - 1);
    return shift(inclusive, op);
  }

 private:
  static constexpr unsigned everyone = 0xFFFFFFFFu;

  /// Moves a value of any size in words of 32 bits.
  template <class T, class Move>
  GPUIMG_FUNCTION static T exchange(T value, Move move) {
    std::uint32_t words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof(T));
    GPUIMG_UNROLL
    for (auto& word : words) { word = move(word); }
    memcpy(&value, words, sizeof(T));
    return value;
  }

  /// Whether the device has an instruction for the reduction.
  template <class T, class Operator>
  static constexpr bool built_in =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
      (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int32_t>)&&(std::is_same_v<Operator, plus> ||
                                                                              std::is_same_v<Operator, minimum> ||
                                                                              std::is_same_v<Operator, maximum>);
#else
      false;
#endif

  template <class T, class Operator>
  __device__ T combine(T value, Operator op) const {
    if constexpr (!built_in<T, Operator>) {
      GPUIMG_UNROLL
      for (int distance = warp_size / 2; distance != 0; distance /= 2) {
        value = op(value, shuffle_xor(value, distance));
      }
      return value;
    } else if constexpr (std::is_same_v<Operator, plus>) {
      return __reduce_add_sync(everyone, value);
    } else if constexpr (std::is_same_v<Operator, minimum>) {
      return __reduce_min_sync(everyone, value);
    } else {
      return __reduce_max_sync(everyone, value);
    }
  }

  template <class T>
  __device__ static std::uint32_t match(T value) {
    std::conditional_t<sizeof(T) <= 4, unsigned, unsigned long long> bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return __match_any_sync(everyone, bits);
  }

  template <class T, class Operator>
  GPUIMG_FUNCTION T shift(T inclusive, Operator op) const {
    const T below = shuffle_up(inclusive, 1);
    return rank() == 0 ? T{} : op(T{}, below);
  }
};

/// Shared memory for the collectives of a block of `Threads` threads, whatever their operand.
template <int Threads>
class block_scratch {
  struct alignas(16) largest_operand {
    std::uint64_t words[2];
  };

 public:
  template <class T>
  using reduction = cub::BlockReduce<T, Threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  template <class T>
  using scan = cub::BlockScan<T, Threads, cub::BLOCK_SCAN_WARP_SCANS>;

  /// The place of one collective's temporary storage.
  template <class Storage>
  GPUIMG_FUNCTION Storage& as() noexcept {
    static_assert(sizeof(Storage) <= size && alignof(Storage) <= 16);
    return *reinterpret_cast<Storage*>(bytes_);
  }
  /// The place of a result for all threads.
  template <collective_operand T>
  GPUIMG_FUNCTION T& result() noexcept {
    return *reinterpret_cast<T*>(result_);
  }

 private:
  static constexpr std::size_t size = sizeof(typename reduction<largest_operand>::TempStorage) >
                                              sizeof(typename scan<largest_operand>::TempStorage)
                                          ? sizeof(typename reduction<largest_operand>::TempStorage)
                                          : sizeof(typename scan<largest_operand>::TempStorage);

  alignas(16) std::byte bytes_[size];
  alignas(16) std::byte result_[max_operand_size];
};

/// A block of `Threads` threads of a CUDA device; models block_group.
template <int Threads>
class cuda_block {
  static_assert(Threads > 0 && Threads % warp_size == 0 && Threads <= max_block_size);

 public:
  /// @param scratch  in shared memory, the same for all threads of the block
  GPUIMG_FUNCTION cuda_block(block_scratch<Threads>& scratch, const grid_index& index, const grid_extent& grid)
      : scratch_(&scratch), index_(index), grid_(grid) {}

  GPUIMG_FUNCTION static constexpr int size() noexcept { return Threads; }
  GPUIMG_FUNCTION int rank() const { GPUIMG_ON_DEVICE(return static_cast<int>(threadIdx.x);) }
  GPUIMG_FUNCTION int warp_rank() const { return rank() / warp_size; }
  GPUIMG_FUNCTION cuda_warp warp() const { return {}; }
  GPUIMG_FUNCTION grid_index index() const { return index_; }
  GPUIMG_FUNCTION grid_extent grid() const { return grid_; }

  GPUIMG_FUNCTION void sync() const { GPUIMG_ON_DEVICE(__syncthreads();) }
  GPUIMG_FUNCTION bool any([[maybe_unused]] bool p) const { GPUIMG_ON_DEVICE(return __syncthreads_or(p) != 0;) }
  GPUIMG_FUNCTION bool all([[maybe_unused]] bool p) const { GPUIMG_ON_DEVICE(return __syncthreads_and(p) != 0;) }

  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T reduce([[maybe_unused]] T value, [[maybe_unused]] Operator op) const {
    GPUIMG_ON_DEVICE(return reduce_in_scratch(value, op);)
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T inclusive_scan([[maybe_unused]] T value, [[maybe_unused]] Operator op) const {
    GPUIMG_ON_DEVICE(return inclusive_scan_in_scratch(value, op);)
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan(T value, Operator op) const {
    T total;
    return exclusive_scan(value, op, total);
  }
  template <collective_operand T, class Operator>
  GPUIMG_FUNCTION T exclusive_scan([[maybe_unused]] T value, [[maybe_unused]] Operator op,
                                   [[maybe_unused]] T& total) const {
    GPUIMG_ON_DEVICE(return exclusive_scan_in_scratch(value, op, total);)
  }

 private:
  template <class T, class Operator>
  __device__ T reduce_in_scratch(T value, Operator op) const {
    if constexpr (Threads == warp_size) {
      const T result = warp().reduce(value, op);
      __syncthreads();
      return result;
    } else {
      using collective = typename block_scratch<Threads>::template reduction<T>;
      const T reduced = collective(scratch_->template as<typename collective::TempStorage>()).Reduce(value, op);
      T& result = scratch_->template result<T>();
      if (rank() == 0) { result = reduced; }
      __syncthreads();
      return result;  // the next reduction has a barrier before it writes here
    }
  }

  template <class T, class Operator>
  __device__ T inclusive_scan_in_scratch(T value, Operator op) const {
    using collective = typename block_scratch<Threads>::template scan<T>;
    T result;
    collective(scratch_->template as<typename collective::TempStorage>()).InclusiveScan(value, result, op);
    __syncthreads();
    return result;
  }

  template <class T, class Operator>
  __device__ T exclusive_scan_in_scratch(T value, Operator op, T& total) const {
    using collective = typename block_scratch<Threads>::template scan<T>;
    T result;
    collective(scratch_->template as<typename collective::TempStorage>()).ExclusiveScan(value, result, T{}, op, total);
    __syncthreads();
    return result;
  }

  block_scratch<Threads>* scratch_;
  grid_index index_;
  grid_extent grid_;
};

}  // namespace GPUIMG_TARGET_NAMESPACE

static_assert(warp_group<cuda_warp> && block_group<cuda_block<64> >);

}  // namespace gpuimg::simt

#endif
