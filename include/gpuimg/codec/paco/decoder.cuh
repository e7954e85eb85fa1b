/// @file
/// PaCo decoder on a CUDA device: the same pictures as the host's (paco/decoder.hpp).
///
/// @code
/// gpuimg::paco::decoder<gpuimg::paco::lossless, gpuimg::cuda> decoder({.stream = stream});
/// decoder.decode(stream_on_host, picture_on_device);
/// @endcode
#pragma once

#if !defined(__CUDACC__)
#error "gpuimg/codec/paco/decoder.cuh needs a CUDA compiler"
#else

#include <cstdint>
#include <cuda_runtime.h>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/codec/paco/decoder.hpp"
#include "gpuimg/codec/paco/detail/device_tile_decoder.hpp"
#include "gpuimg/codec/paco/encoder.cuh"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/launch.cuh"

namespace gpuimg::paco {

/// Decoder on a CUDA device: of streams and to pictures in host or device memory.
/// Work is submitted to the execution's stream. One thread at a time per object; objects are independent.
template <class Codec>
class decoder<Codec, cuda> {
 public:
  explicit decoder(const cuda& execution = {}, const decode_options& options = {})
      : execution_(execution), front_(host{1}, options), narrow_(execution), wide_(execution), segment_(execution) {}

  /// As decoder<Codec, host>.
  void check(const stream_header& h) const { front_.check(h); }

  /// Bytes of device memory that decoding a tile of this size needs, its samples and its segment not counted.
  static std::uint64_t workspace_size(const stream_header& h, std::int64_t width, std::int64_t height) {
    const tile_layout layout = layout_tile(h, width, height);
    return has_narrow_coefficients(h) ? narrow_memory(nullptr, h, layout).bytes : wide_memory(nullptr, h, layout).bytes;
  }

  /// Bytes of device memory that the object holds for reuse.
  std::uint64_t workspace_size() const noexcept { return narrow_.bytes() + wide_.bytes() + segment_.size(); }

  /// Decodes a whole stream to a picture; each in host or device memory. Waits for the result. A stream in device
  /// memory is first copied to the host, where its headers are read; decode_tile_async() does without.
  /// @throws error as the host's decoder, and device
  template <sample S>
  stream_header decode(std::span<const std::byte> stream, cube_view<S> picture) {
    const simt::device_guard guard(execution_.device);
    if (stream.empty() || !detail::is_device_accessible(stream.data())) {
      return detail::read_picture(*this, stream, picture);
    }
    std::vector<std::byte> copy(stream.size());
    simt::check_cuda(cudaMemcpyAsync(copy.data(), stream.data(), copy.size(), cudaMemcpyDefault, execution_.stream),
                     "a stream");
    simt::check_cuda(cudaStreamSynchronize(execution_.stream), "PaCo decoder");
    return detail::read_picture(*this, std::span<const std::byte>(copy), picture);
  }

  /// Decodes the payload of one TILE segment in host memory, which starts at byte `offset` of the stream. Waits for the
  /// result.
  template <sample S>
  void decode_tile(const stream_header& h, std::span<const std::byte> payload, std::int64_t index, std::uint64_t offset,
                   cube_view<S> tile) {
    const simt::device_guard guard(execution_.device);
    if (has_narrow_coefficients(h)) {
      decode_tile_as<std::int16_t>(narrow_, h, payload, index, offset, tile);
    } else {
      decode_tile_as<std::int32_t>(wide_, h, payload, index, offset, tile);
    }
  }

  /// Submits the decoding of a tile whose payload behind the tile's header `t` lies in device memory; does not wait.
  /// @returns the place in device memory of what was found wrong, valid until the object's next tile.
  template <sample S>
  const detail::decoder_status* decode_tile_async(const stream_header& h, const tile_header& t,
                                                  const std::uint16_t* words, const cube_view<S>& tile) {
    const simt::device_guard guard(execution_.device);
    if (has_narrow_coefficients(h)) { return submit<std::int16_t>(narrow_, h, t, words, tile); }
    return submit<std::int32_t>(wide_, h, t, words, tile);
  }

 private:
  using narrow_memory = detail::decoder_memory<std::int16_t>;
  using wide_memory = detail::decoder_memory<std::int32_t>;

  /// Lays memory out for tiles of this size and fills in its constants, unless that has been done.
  template <class T>
  void prepare(detail::device_layout<detail::decoder_memory<T> >& place, const stream_header& h, std::int64_t width,
               std::int64_t height) {
    if (!place.prepare(h, width, height)) { return; }
    detail::device_tile_decoder<Codec, T>(place.header(), place.layout(), place.memory())
        .upload([&](void* to, const void* from, std::size_t bytes) {
          simt::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, execution_.stream), "constants");
        });
  }

  template <class T, class S>
  const detail::decoder_status* submit(detail::device_layout<detail::decoder_memory<T> >& place, const stream_header& h,
                                       const tile_header& t, const std::uint16_t* words, const cube_view<S>& tile) {
    detail::check_tile(h, static_cast<std::int64_t>(t.index), tile);
    prepare<T>(place, h, tile.width, tile.height);
    const auto memory = place.memory();
    const detail::device_tile_decoder<Codec, T> kernels(place.header(), place.layout(), memory);
    kernels.decode([&](const auto& grid, const auto& kernel) { simt::launch(execution_, grid, kernel); }, t, words,
                   tile);
    return memory.status;
  }

  template <class T, class S>
  void decode_tile_as(detail::device_layout<detail::decoder_memory<T> >& place, const stream_header& h,
                      std::span<const std::byte> payload, std::int64_t index, std::uint64_t offset,
                      const cube_view<S>& tile) {
    detail::check_tile(h, index, tile);
    const tile_header t = detail::read_tile_front(h, payload, index, offset, tile.width, tile.height);
    detail::staged_picture<S> staged(tile);
    const auto body = payload.subspan(tile_header_bytes);
    segment_.reserve(body.size() + 8);
    auto* words = segment_.template data<std::uint16_t>();
    simt::check_cuda(cudaMemcpyAsync(words, body.data(), body.size(), cudaMemcpyHostToDevice, execution_.stream),
                     "a tile");
    prepare<T>(place, h, tile.width, tile.height);
    if (!t.stored && t.index_bytes / 2 < place.layout().groups.size()) {
      explain(place.layout(), h, t, payload, offset, {});
    }
    const auto* status = submit<T>(place, h, t, words, staged.bind(place.memory().samples));
    staged.copy_out(execution_);
    detail::decoder_status found{};
    simt::check_cuda(cudaMemcpyAsync(&found, status, sizeof(found), cudaMemcpyDeviceToHost, execution_.stream),
                     "status of a tile");
    simt::check_cuda(cudaStreamSynchronize(execution_.stream), "PaCo decoder");
    if (found.front != 0 || found.damaged_block != ~std::uint64_t{0}) {
      explain(place.layout(), h, t, payload, offset, found);
    }
  }

  /// Throws what the host would: kernels only say that something is wrong.
  [[noreturn]] static void explain(const tile_layout& layout, const stream_header& h, const tile_header& t,
                                   std::span<const std::byte> payload, std::uint64_t offset,
                                   const detail::decoder_status& found) {
    std::uint64_t at = tile_header_bytes;
    const auto part = [&](std::uint64_t bytes) {
      const auto p = payload.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
      at += bytes;
      return p;
    };
    const auto tables_at = offset + at;
    const auto tables = part(t.table_bytes);
    if (t.inline_tables) {
      auto cells = detail::starting_tables(h);
      detail::read_tables(layout, tables, tables_at, cells);
    }
    const auto index_at = offset + at;
    std::vector<block_record> records;
    read_index(h, layout, part(t.index_bytes), t.block_bytes, index_at, records);
    detail::refuse_block(records, found.damaged_block, offset + at);
  }

  cuda execution_;
  decoder<Codec, host> front_;
  detail::device_layout<narrow_memory> narrow_;
  detail::device_layout<wide_memory> wide_;
  simt::device_buffer segment_;
};

}  // namespace gpuimg::paco

#endif
