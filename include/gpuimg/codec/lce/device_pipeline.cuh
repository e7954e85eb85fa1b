/// @file
/// Encodes and decodes cubes of host or device memory through a device, slab by slab: copies in, kernels and copies out
/// of neighbouring slabs overlap.
///
/// Overlap needs pinned host memory (cudaHostAlloc, cudaHostRegister) and several slabs (recommended_slab_rows()); any
/// memory and any number of slabs give the same bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cuda_runtime_api.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/codec/lce/device_choice.cuh"
#include "gpuimg/codec/lce/device_decoder.cuh"
#include "gpuimg/codec/lce/device_encoder.cuh"
#include "gpuimg/codec/lce/device_lanes.cuh"
#include "gpuimg/core/error.hpp"
#include "gpuimg/simt/detail/target_namespace.cuh"

namespace gpuimg::lce {
inline namespace GPUIMG_TARGET_NAMESPACE {

/// Slabs that are under way at once, each with a stream and buffers of its own. A slab takes its time on a device
/// however small it is: eight of the recommended size hide that behind the copies. Half as many of larger ones.
inline std::int64_t pipeline_lanes(const stream_header& header) noexcept {
  if (header.slabs() == 0) { return 0; }
  const std::int64_t bytes = header.width * header.rows(0) * header.bands * bytes_of(header.type);
  return std::min<std::int64_t>(bytes <= (16 << 20) ? 8 : 4, header.slabs());
}

/// Encodes cubes with one header, one after the other. Working memory is allocated at the first cube.
class encode_pipeline {
 public:
  /// @param execution  its stream comes before the pipeline's work
  encode_pipeline(const cuda& execution, const stream_header& header) : execution_(execution), header_(header) {
    for (std::int64_t i = 0; i < pipeline_lanes(header); ++i) {
      lanes_.push_back(std::make_unique<lane>(execution, header));
    }
  }

  /// Writes the stream of `cube` (host or device memory) to `destination` in host memory, and waits for it.
  /// @returns the bytes of the stream
  /// @throws error buffer_too_small, invalid_argument, unsupported (see cube_transfer), out_of_memory or device
  std::int64_t encode(const any_cube& cube, std::span<std::byte> destination) {
    const auto bytes = write_header(header_);
    put(destination, 0, header_bytes);
    std::memcpy(destination.data(), bytes.data(), bytes.size());
    position_ = header_bytes;
    const bool resident = on_device(cube.data);
    const auto lanes = static_cast<std::int64_t>(lanes_.size());
    const drain finally(lanes_);
    for (auto& l : lanes_) { l->stream.follow(execution_.stream); }
    for (std::int64_t slab = 0; slab < header_.slabs(); ++slab) {
      submit(slab, cube.rows(header_.first_row(slab), header_.rows(slab)), resident);
      if (slab + 1 >= lanes) { collect(slab + 1 - lanes, destination); }
    }
    for (std::int64_t slab = std::max<std::int64_t>(header_.slabs() - lanes + 1, 0); slab < header_.slabs(); ++slab) {
      collect(slab, destination);
    }
    for (auto& l : lanes_) { l->stream.wait(); }
    return position_;
  }

 private:
  struct lane {
    lane(const cuda& execution, const stream_header& header)
        : stream(execution),
          encoder(stream.execution(), header),
          rows(stream.execution()),
          output(stream.execution(), static_cast<std::size_t>(most_slab_bytes(header, 0))),
          result(stream.execution()) {}

    branch_stream stream;
    device_encoder encoder;
    simt::device_buffer rows;
    simt::device_buffer output;
    // Kernels write there through the unified address space: the size is known with the stream's end, without a copy.
    pinned_value<encode_result> result;
  };

  lane& lane_of(std::int64_t slab) { return *lanes_[static_cast<std::size_t>(slab) % lanes_.size()]; }

  void submit(std::int64_t slab, const any_cube& rows, bool resident) {
    lane& l = lane_of(slab);
    any_cube source = rows;
    if (!resident) {
      const cube_transfer transfer(rows);
      l.rows.reserve(static_cast<std::size_t>(transfer.bytes()));
      copy_cube(transfer, const_cast<std::byte*>(rows.data), l.rows.data(), true, l.stream.execution().stream);
      source = transfer.packed<const std::byte>(rows, l.rows.data());
    }
    l.encoder.encode_slab(slab, source, l.output.data(), static_cast<std::int64_t>(l.output.size()), l.result.get());
  }

  void collect(std::int64_t slab, std::span<std::byte> destination) {
    lane& l = lane_of(slab);
    l.stream.wait();
    const auto bytes = l.result.get()->bytes;
    put(destination, position_, bytes);
    simt::check_cuda(cudaMemcpyAsync(destination.data() + position_, l.output.data(), bytes, cudaMemcpyDeviceToHost,
                                     l.stream.execution().stream),
                     "lce: copy");
    position_ += static_cast<std::int64_t>(bytes);
  }

  static void put(std::span<std::byte> destination, std::int64_t at, std::uint64_t bytes) {
    const auto need = static_cast<std::uint64_t>(at) + bytes;
    if (need > destination.size()) {
      throw error(errc::buffer_too_small, "lce: the stream has at least " + std::to_string(need) +
                                              " bytes, the destination " + std::to_string(destination.size()));
    }
  }

  cuda execution_;
  stream_header header_;
  std::vector<std::unique_ptr<lane>> lanes_;
  std::int64_t position_ = 0;
};

/// Decodes cubes with one header, one after the other, whole or in part.
class decode_pipeline {
 public:
  decode_pipeline(const cuda& execution, const stream_header& header) : execution_(execution), header_(header) {
    for (std::int64_t i = 0; i < pipeline_lanes(header); ++i) {
      lanes_.push_back(std::make_unique<lane>(execution, header));
    }
  }

  /// Decodes a stream in host memory to `destination` in host or device memory, and waits for it. See lce::decode().
  std::vector<damaged_block> decode(std::span<const std::byte> stream, const any_mutable_cube& destination,
                                    const decode_options& options = {}) {
    check_window(header_, destination, options);
    damage_.clear();
    const bool resident = on_device(destination.data);
    const auto lanes = static_cast<std::int64_t>(lanes_.size());
    const drain finally(lanes_);
    for (auto& l : lanes_) { l->stream.follow(execution_.stream); }
    std::uint64_t offset = header_bytes;
    for (std::int64_t slab = 0; slab < header_.slabs(); ++slab) {
      const auto bytes = slab_bytes(stream, slab, offset);
      submit(slab, stream.subspan(offset, bytes), offset, destination, options, resident);
      offset += bytes;
      if (slab + 1 >= lanes) { collect(slab + 1 - lanes); }
    }
    for (std::int64_t slab = std::max<std::int64_t>(header_.slabs() - lanes + 1, 0); slab < header_.slabs(); ++slab) {
      collect(slab);
    }
    if (!damage_.empty() && !options.keep_going) { host_decoder::refuse(damage_.front(), damage_.size()); }
    return damage_;
  }

 private:
  struct lane {
    lane(const cuda& execution, const stream_header& header)
        : stream(execution), decoder(stream.execution(), header), bytes(stream.execution()), rows(stream.execution()) {}

    branch_stream stream;
    device_decoder decoder;
    simt::device_buffer bytes;
    simt::device_buffer rows;
    std::uint64_t offset = 0;
    bool used = false;
  };

  lane& lane_of(std::int64_t slab) { return *lanes_[static_cast<std::size_t>(slab) % lanes_.size()]; }

  std::uint64_t slab_bytes(std::span<const std::byte> stream, std::int64_t slab, std::uint64_t offset) const {
    const auto rest = stream.subspan(offset);
    const auto payload = read_slab_header(header_, slab, rest, offset);
    const auto bytes = static_cast<std::uint64_t>(slab_layout(header_, slab).payload + payload);
    if (bytes > rest.size()) {
      throw error(errc::truncated,
                  "lce: slab " + std::to_string(slab) + " has " + std::to_string(bytes) + " bytes, " +
                      std::to_string(rest.size()) + " are left",
                  stream.size());
    }
    return bytes;
  }

  void submit(std::int64_t slab, std::span<const std::byte> bytes, std::uint64_t offset,
              const any_mutable_cube& destination, const decode_options& options, bool resident) {
    lane& l = lane_of(slab);
    const std::int64_t top = std::max(options.y, header_.first_row(slab));
    const std::int64_t bottom = std::min(options.y + destination.height, header_.first_row(slab) + header_.rows(slab));
    l.used = top < bottom && destination.width != 0 && destination.bands != 0;
    l.offset = offset;
    if (!l.used) { return; }
    const cudaStream_t stream = l.stream.execution().stream;
    l.bytes.reserve(bytes.size());
    simt::check_cuda(cudaMemcpyAsync(l.bytes.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream),
                     "lce: copy");
    decode_options window = options;
    window.y = top;
    const any_mutable_cube rows = destination.rows(top - options.y, bottom - top);
    const auto size = static_cast<std::int64_t>(bytes.size());
    if (resident) {
      l.decoder.decode_slab(slab, l.bytes.data(), size, rows, window);
      l.decoder.submit_report();
      return;
    }
    const cube_transfer transfer(rows);
    l.rows.reserve(static_cast<std::size_t>(transfer.bytes()));
    l.decoder.decode_slab(slab, l.bytes.data(), size, transfer.packed<std::byte>(rows, l.rows.data()), window);
    l.decoder.submit_report();  // ahead of the rows, which would keep it waiting
    copy_cube(transfer, rows.data, l.rows.data(), false, stream);
  }

  void collect(std::int64_t slab) {
    lane& l = lane_of(slab);
    if (!l.used) { return; }
    const auto found = l.decoder.report(l.offset);
    damage_.insert(damage_.end(), found.begin(), found.end());
  }

  cuda execution_;
  stream_header header_;
  std::vector<std::unique_ptr<lane>> lanes_;
  std::vector<damaged_block> damage_;
};

/// The stream of a cube of host or device memory, made on a device. The same bytes as from the host.
/// @throws error as encode_pipeline::encode()
template <class T>
requires cube_sample<std::remove_const_t<T>> std::vector<std::byte> encode(const cuda& execution,
                                                                           const cube_view<T>& cube,
                                                                           const coding_options& options,
                                                                           interleave origin = interleave::bsq) {
  const any_cube samples(cube);
  const auto header = make_header(execution, samples, options, origin);
  encode_pipeline pipeline(execution, header);
  std::vector<std::byte> stream(static_cast<std::size_t>(most_stream_bytes(header)));
  stream.resize(static_cast<std::size_t>(pipeline.encode(samples, stream)));
  return stream;
}

/// Decodes a stream of host memory to host or device memory on a device. See lce::decode() for the host.
template <cube_sample T>
std::vector<damaged_block> decode(const cuda& execution, std::span<const std::byte> stream,
                                  const cube_view<T>& destination, const decode_options& options = {}) {
  const stream_header header = read_header(stream);
  check_window(header, any_mutable_cube(destination), options);
  decode_pipeline pipeline(execution, header);
  return pipeline.decode(stream, destination, options);
}

}  // namespace GPUIMG_TARGET_NAMESPACE
}  // namespace gpuimg::lce
