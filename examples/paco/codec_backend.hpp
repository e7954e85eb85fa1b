/// @file
/// The backend of one codec on one kind of execution. Each shape of code-block takes seconds to compile, so
/// host_backend_*.cpp and cuda_backend.cu instantiate a few each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "backend.hpp"

#include "gpuimg/codec/paco/decoder.hpp"
#include "gpuimg/codec/paco/encoder.hpp"

namespace gpuimg::examples {

/// The codec of the program for one shape of code-block.
template <int Width, int Height>
using photo_codec = codec::image_codec<codec::reversible_color, codec::wavelet<codec::cdf_5_3, 5>, codec::no_quantizer,
                                       codec::paco_coder<Width, Height>>;

/// Calls body(S{}) with the sample type of the picture.
template <class Body>
decltype(auto) with_sample_type(const paco::picture_format& picture, const Body& body) {
  if (picture.depth <= 8) { return picture.is_signed ? body(std::int8_t{}) : body(std::uint8_t{}); }
  return picture.is_signed ? body(std::int16_t{}) : body(std::uint16_t{});
}

template <class Codec, class Execution>
class codec_backend final : public paco_backend {
 public:
  codec_backend(const Execution& execution, std::string device, const paco::encode_options& options)
      : execution_(execution), device_(std::move(device)), options_(options) {
    release();
  }

  std::string device() const override { return device_; }

  paco::stream_header header(const paco::picture_format& picture) const override { return encoder_->header(picture); }
  std::uint64_t begin(const paco::stream_header& h, std::span<std::byte> out) const override {
    return encoder_->begin(h, out);
  }
  std::uint64_t end(std::span<std::byte> out) const override { return encoder_->end(out); }

  std::uint64_t encode_tile(const paco::stream_header& h, const tile_samples& tile, std::int64_t index,
                            std::span<std::byte> out) override {
    return with_sample_type(h.picture, [&](auto sample) {
      return encoder_->encode_tile(h, tile.as<const decltype(sample)>(), index, out);
    });
  }

  void check(const paco::stream_header& h) const override { decoder_->check(h); }
  std::uint64_t decoding_workspace(const paco::stream_header& h) const noexcept override {
    return paco::decoder<Codec, host>::workspace_size(h);
  }

  void decode_tile(const paco::stream_header& h, std::span<const std::byte> payload, std::int64_t index,
                   std::uint64_t offset, const tile_target& tile) override {
    with_sample_type(
        h.picture, [&](auto sample) { decoder_->decode_tile(h, payload, index, offset, tile.as<decltype(sample)>()); });
  }

  void release() override {
    encoder_.emplace(execution_, options_);
    decoder_.emplace(execution_);
  }

 private:
  Execution execution_;
  std::string device_;
  paco::encode_options options_;
  std::optional<paco::encoder<Codec, Execution>> encoder_;
  std::optional<paco::decoder<Codec, Execution>> decoder_;
};

template <int Width, int Height>
std::unique_ptr<paco_backend> make_host_backend(host execution, const paco::encode_options& options) {
  const unsigned threads = execution.thread_count();
  return std::make_unique<codec_backend<photo_codec<Width, Height>, host>>(
      execution, "host, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"), options);
}

}  // namespace gpuimg::examples
