/// @file
/// PaCo encoder on a CUDA device. The same streams, byte for byte, as the host's (paco/encoder.hpp).
///
/// @code
/// gpuimg::paco::encoder<gpuimg::paco::lossless, gpuimg::cuda> encoder({.stream = stream});
/// const auto bytes = encoder.encode(picture_on_device, 8, stream_on_host);
/// @endcode
#pragma once

#if !defined(__CUDACC__)
#error "gpuimg/codec/paco/encoder.cuh needs a CUDA compiler"
#else

#include <cstdint>
#include <cuda_runtime.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "gpuimg/codec/paco/detail/device_tile_encoder.hpp"
#include "gpuimg/codec/paco/encoder.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/simt/cuda_memory.cuh"
#include "gpuimg/simt/launch.cuh"

namespace gpuimg::paco {

namespace detail {

/// Whether kernels can read what `pointer` points to.
inline bool is_device_accessible(const void* pointer) {
  cudaPointerAttributes attributes{};
  simt::check_cuda(cudaPointerGetAttributes(&attributes, pointer), "memory of a view");
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

/// A picture in host or device memory, and where kernels find it: there, or packed in device memory that it is copied
/// to or from.
///
/// Rows of any pitch are copied as they lie; in host memory samples must be dense by plane or by pixel.
template <class S>
class staged_picture {
 public:
  explicit staged_picture(const cube_view<S>& picture)
      : outside_(picture), inside_(picture), staged_(!picture.empty() && !is_device_accessible(picture.data)) {
    if (!staged_) { return; }
    constexpr std::int64_t one = sizeof(S);
    const bool by_pixel = picture.x_stride == one * picture.bands && picture.band_stride == one;
    if (!by_pixel && picture.x_stride != one) {
      throw error(errc::unsupported, "PaCo on a device: samples of a row in host memory are " +
                                         std::to_string(picture.x_stride) +
                                         " bytes apart; they must be adjacent, by plane or by pixel");
    }
    row_bytes_ = one * picture.width * (by_pixel ? picture.bands : 1);
    planes_ = by_pixel ? 1 : picture.bands;
    if (picture.y_stride < row_bytes_) {
      throw error(errc::unsupported, "PaCo on a device: a pitch of " + std::to_string(picture.y_stride) +
                                         " bytes in host memory is below a row of " + std::to_string(row_bytes_));
    }
    inside_.y_stride = row_bytes_;
    if (!by_pixel) { inside_.band_stride = row_bytes_ * picture.height; }
  }

  /// Bytes of device memory that bind() needs.
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(row_bytes_ * outside_.height * planes_); }
  /// Gives the picture its place in device memory, if it needs one. @returns what kernels see.
  const cube_view<S>& bind(void* memory) noexcept {
    if (staged_) { inside_.data = static_cast<S*>(memory); }
    return inside_;
  }

  void copy_in(const cuda& execution) const { copy_planes(execution, cudaMemcpyHostToDevice); }
  void copy_out(const cuda& execution) const { copy_planes(execution, cudaMemcpyDeviceToHost); }

 private:
  void copy_planes(const cuda& execution, cudaMemcpyKind kind) const {
    if (!staged_) { return; }
    const bool in = kind == cudaMemcpyHostToDevice;
    const auto host_pitch = static_cast<std::size_t>(outside_.y_stride);
    const auto row = static_cast<std::size_t>(row_bytes_);
    for (std::int64_t p = 0; p < planes_; ++p) {
      const S* host_side = gpuimg::detail::advance_bytes(outside_.data, p * outside_.band_stride);
      const S* device_side = gpuimg::detail::advance_bytes(inside_.data, p * inside_.band_stride);
      auto* to = const_cast<std::remove_const_t<S>*>(in ? device_side : host_side);
      const S* from = in ? host_side : device_side;
      simt::check_cuda(cudaMemcpy2DAsync(to, in ? row : host_pitch, from, in ? host_pitch : row, row,
                                         static_cast<std::size_t>(outside_.height), kind, execution.stream),
                       in ? "copy of a picture to the device" : "copy of a picture from the device");
    }
  }

  cube_view<S> outside_;
  cube_view<S> inside_;
  std::int64_t row_bytes_ = 0;
  std::int64_t planes_ = 0;
  bool staged_;
};

/// A tile's layout with its memory on a device, kept while tiles of the same header and size follow one another.
template <class Memory>
class device_layout {
 public:
  explicit device_layout(const cuda& execution) : buffer_(execution) {}

  /// Lays memory out for tiles of this size. @returns whether it is new, so that constants must be uploaded.
  bool prepare(const stream_header& h, std::int64_t width, std::int64_t height) {
    if (header_ && *header_ == h && layout_.width == width && layout_.height == height) { return false; }
    header_.reset();
    layout_ = layout_tile(h, width, height);
    buffer_.reserve(static_cast<std::size_t>(Memory(nullptr, h, layout_).bytes));
    header_ = h;
    return true;
  }
  const tile_layout& layout() const noexcept { return layout_; }
  const stream_header& header() const noexcept { return *header_; }
  Memory memory() const { return Memory(buffer_.template data<std::byte>(), *header_, layout_); }
  std::size_t bytes() const noexcept { return buffer_.size(); }

 private:
  simt::device_buffer buffer_;
  std::optional<stream_header> header_;
  tile_layout layout_;
};

}  // namespace detail

/// Encoder on a CUDA device: of pictures in device or host memory, to streams in host memory, or tile by tile to device
/// memory. Work is submitted to the execution's stream. One thread at a time per object; objects are independent.
template <class Codec>
class encoder<Codec, cuda> {
 public:
  explicit encoder(const cuda& execution = {}, const encode_options& options = {})
      : execution_(execution),
        options_(options),
        front_(host{1}, options),
        narrow_(execution),
        wide_(execution),
        picture_(execution) {}

  const encode_options& options() const noexcept { return options_; }

  /// As encoder<Codec, host>.
  stream_header header(const picture_format& picture) const { return front_.header(picture); }
  bool can_encode(const picture_format& picture) const noexcept { return front_.can_encode(picture); }
  std::uint64_t bound(const picture_format& picture) const { return front_.bound(picture); }

  /// Bytes of device memory that encode_tile_async() needs for a tile of this size.
  static std::uint64_t workspace_size(const stream_header& h, std::int64_t width, std::int64_t height) {
    const tile_layout layout = layout_tile(h, width, height);
    return has_narrow_coefficients(h) ? narrow_memory(nullptr, h, layout).bytes : wide_memory(nullptr, h, layout).bytes;
  }

  /// Bytes of device memory that the object holds for reuse.
  std::uint64_t workspace_size() const noexcept { return narrow_.bytes() + wide_.bytes() + picture_.size(); }

  /// Encodes a picture in host or device memory to `stream` in host or device memory. Waits for the result. @returns
  /// the stream's size.
  /// @throws error as the host's encoder, and device
  template <sample S>
  std::uint64_t encode(cube_view<const S> picture, int depth, std::span<std::byte> stream) {
    const simt::device_guard guard(execution_.device);
    const stream_header h = header(format_of(picture, depth));
    std::byte frame[128];
    std::uint64_t size = copy_out(std::span(frame).first(static_cast<std::size_t>(begin(h, frame))), stream);
    for (std::int64_t i = 0; i < h.tiles(); ++i) {
      const tile_rectangle t = tile_of(h, i);
      size +=
          encode_tile(h, picture.crop(t.x, t.y, t.width, t.height), i, stream.subspan(static_cast<std::size_t>(size)));
    }
    return size + copy_out(std::span(frame).first(static_cast<std::size_t>(end(frame))),
                           stream.subspan(static_cast<std::size_t>(size)));
  }

  std::uint64_t begin(const stream_header& h, std::span<std::byte> out) const { return front_.begin(h, out); }
  std::uint64_t end(std::span<std::byte> out) const { return front_.end(out); }

  /// Encodes one tile, in host or device memory, to host or device memory. Waits for the result.
  template <sample S>
  std::uint64_t encode_tile(const stream_header& h, cube_view<const S> tile, std::int64_t index,
                            std::span<std::byte> out) {
    const simt::device_guard guard(execution_.device);
    detail::staged_picture<const S> staged(tile);
    picture_.reserve(staged.bytes());
    const cube_view<const S> view = staged.bind(picture_.data());
    staged.copy_in(execution_);
    return has_narrow_coefficients(h) ? encode_here<std::int16_t>(narrow_, h, view, index, out)
                                      : encode_here<std::int32_t>(wide_, h, view, index, out);
  }

  /// What encode_tile_async() leaves in device memory, until the object's next tile.
  struct tile_on_device {
    const std::uint64_t* size;    ///< of the segment, in bytes
    const std::uint32_t* misfit;  ///< 1: a sample does not fit the depth, the segment is not its picture's
  };

  /// Submits the encoding of a tile in device memory to device memory, `out` of tile_bound() bytes; does not wait. The
  /// first tile of a size also allocates and uploads constants; later ones do neither.
  template <sample S>
  tile_on_device encode_tile_async(const stream_header& h, const cube_view<const S>& tile, std::int64_t index,
                                   std::uint16_t* out) {
    const simt::device_guard guard(execution_.device);
    if (has_narrow_coefficients(h)) { return submit<std::int16_t>(narrow_, h, tile, index, out); }
    return submit<std::int32_t>(wide_, h, tile, index, out);
  }

 private:
  using narrow_memory = detail::encoder_memory<std::int16_t>;
  using wide_memory = detail::encoder_memory<std::int32_t>;

  /// Copies a few bytes of the host to the front of `to`, wherever that is.
  std::uint64_t copy_out(std::span<const std::byte> from, std::span<std::byte> to) const {
    const auto place = detail::byte_sink(to).take(from.size());
    simt::check_cuda(cudaMemcpyAsync(place.data(), from.data(), from.size(), cudaMemcpyDefault, execution_.stream),
                     "frame of a stream");
    wait();
    return from.size();
  }

  void wait() const { simt::check_cuda(cudaStreamSynchronize(execution_.stream), "PaCo encoder"); }

  /// Encodes a tile that kernels can read into the workspace, and copies the segment to the host.
  template <class T, class S>
  std::uint64_t encode_here(detail::device_layout<detail::encoder_memory<T> >& place, const stream_header& h,
                            const cube_view<const S>& tile, std::int64_t index, std::span<std::byte> out) {
    const auto result = submit<T>(place, h, tile, index, nullptr);
    std::uint64_t size = 0;
    std::uint32_t misfit = 0;
    const auto fetch = [&](void* to, const void* from, std::size_t bytes) {
      simt::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, execution_.stream), "copy of a tile");
    };
    fetch(&size, result.size, sizeof(size));
    fetch(&misfit, result.misfit, sizeof(misfit));
    wait();
    if (misfit != 0) {
      throw error(errc::invalid_argument, "PaCo: a sample of tile " + std::to_string(index) + " needs more than the " +
                                              std::to_string(h.picture.depth) + " bits of depth");
    }
    detail::byte_sink sink(out);
    const auto to = sink.take(size);
    fetch(to.data(), place.memory().segment, to.size());
    wait();
    return size;
  }

  /// Submits a tile's kernels; without `out` the segment goes into the workspace.
  template <class T, class S>
  tile_on_device submit(detail::device_layout<detail::encoder_memory<T> >& place, const stream_header& h,
                        const cube_view<const S>& tile, std::int64_t index, std::uint16_t* out) {
    detail::check_tile(h, index, tile);
    const bool is_new = place.prepare(h, tile.width, tile.height);
    const auto memory = place.memory();
    const detail::device_tile_encoder<Codec, T> kernels(place.header(), place.layout(), options_, memory);
    if (is_new) {
      kernels.upload([&](void* to, const void* from, std::size_t bytes) {
        simt::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, execution_.stream), "constants");
      });
    }
    kernels.encode([&](const auto& grid, const auto& kernel) { simt::launch(execution_, grid, kernel); }, tile, index,
                   out != nullptr ? out : memory.segment);
    return {memory.size, memory.misfit};
  }

  cuda execution_;
  encode_options options_;
  encoder<Codec, host> front_;
  detail::device_layout<narrow_memory> narrow_;
  detail::device_layout<wide_memory> wide_;
  simt::device_buffer picture_;
};

}  // namespace gpuimg::paco

#endif
