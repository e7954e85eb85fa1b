/// @file
/// Encoders and decoders of slabs in host memory, on the host or on a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpuimg/codec/lce/cube.hpp"
#include "gpuimg/codec/lce/format.hpp"
#include "gpuimg/codec/lce/host_decoder.hpp"

namespace gpuimg::examples {

/// Where slabs are coded.
struct coder_choice {
  bool cuda = false;
  int device = 0;
  unsigned threads = 0;  ///< of the host; 0 is one a core
};

class slab_encoder {
 public:
  virtual ~slab_encoder() = default;
  /// Appends a slab to `out`.
  virtual void encode_slab(std::int64_t slab, const lce::any_cube& rows, std::vector<std::byte>& out) = 0;
};

class slab_decoder {
 public:
  virtual ~slab_decoder() = default;
  /// See lce::host_decoder::decode_slab().
  virtual std::vector<lce::damaged_block> decode_slab(std::int64_t slab, std::span<const std::byte> bytes,
                                                      std::uint64_t offset, const lce::any_mutable_cube& destination,
                                                      const lce::decode_options& options) = 0;
};

/// @throws error unsupported, when there is no device or the program has been built without CUDA
std::unique_ptr<slab_encoder> make_encoder(const coder_choice& choice, const lce::stream_header& header);
std::unique_ptr<slab_decoder> make_decoder(const coder_choice& choice, const lce::stream_header& header);

/// The same on a device; defined once, with CUDA or without.
int cuda_device_count() noexcept;
std::unique_ptr<slab_encoder> make_cuda_encoder(int device, const lce::stream_header& header);
std::unique_ptr<slab_decoder> make_cuda_decoder(int device, const lce::stream_header& header);

}  // namespace gpuimg::examples
