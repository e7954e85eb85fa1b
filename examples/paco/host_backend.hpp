/// @file
/// The backend on the processor, a template over the shape of the code-blocks. Each shape takes seconds to compile,
/// so host_backend_*.cpp instantiate a few each.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend.hpp"

#include "gpuimg/codec/paco/decoder.hpp"
#include "gpuimg/codec/paco/encoder.hpp"

namespace gpuimg::examples {

/// Calls body(S{}) with the sample type of the picture.
template <class Body>
decltype(auto) with_sample_type(const paco::picture_format& picture, const Body& body) {
  if (picture.depth <= 8) { return picture.is_signed ? body(std::int8_t{}) : body(std::uint8_t{}); }
  return picture.is_signed ? body(std::int16_t{}) : body(std::uint16_t{});
}

/// The encoder and decoder of one codec, made when first needed.
template <int Width, int Height>
class host_backend final : public paco_backend {
 public:
  using codec_type = codec::image_codec<codec::reversible_color, codec::wavelet<codec::cdf_5_3, 5>, codec::no_quantizer,
                                        codec::paco_coder<Width, Height>>;

  host_backend(host execution, const paco::encode_options& options)
      : execution_(execution), options_(options), encoder_(execution, options) {}

  std::string device() const override {
    const unsigned threads = execution_.thread_count();
    return "host, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }

  paco::stream_header header(const paco::picture_format& picture) const override { return encoder_.header(picture); }
  std::uint64_t begin(const paco::stream_header& h, std::span<std::byte> out) const override {
    return encoder_.begin(h, out);
  }
  std::uint64_t end(std::span<std::byte> out) const override { return encoder_.end(out); }

  std::uint64_t encode_tile(const paco::stream_header& h, const tile_samples& tile, std::int64_t index,
                            std::span<std::byte> out) override {
    return with_sample_type(
        h.picture, [&](auto sample) { return encoder_.encode_tile(h, tile.as<const decltype(sample)>(), index, out); });
  }

  void check(const paco::stream_header& h) const override { decoder_.check(h); }
  std::uint64_t decoding_workspace(const paco::stream_header& h) const noexcept override {
    return decoder_.workspace_size(h);
  }

  void decode_tile(const paco::stream_header& h, std::span<const std::byte> payload, std::int64_t index,
                   std::uint64_t offset, const tile_target& tile) override {
    with_sample_type(
        h.picture, [&](auto sample) { decoder_.decode_tile(h, payload, index, offset, tile.as<decltype(sample)>()); });
  }

  void release() override {
    encoder_ = paco::encoder<codec_type>(execution_, options_);
    decoder_ = paco::decoder<codec_type>(execution_);
  }

 private:
  host execution_;
  paco::encode_options options_;
  paco::encoder<codec_type> encoder_;
  paco::decoder<codec_type> decoder_{execution_};
};

template <int Width, int Height>
std::unique_ptr<paco_backend> make_host_backend(host execution, const paco::encode_options& options) {
  return std::make_unique<host_backend<Width, Height>>(execution, options);
}

}  // namespace gpuimg::examples
