#include "tests/codec/paco_host.hpp"

#include "tests/codec/paco_any.hpp"
#include "tests/codec/paco_cases.hpp"

#include "gpuimg/codec/paco/decoder.hpp"
#include "gpuimg/codec/paco/encoder.hpp"

namespace paco_tests {
namespace {

template <int Block>
class codec_of_blocks final : public host_codec {
 public:
  codec_of_blocks(const paco::encode_options& options, unsigned threads)
      : encoder_(gpuimg::host{threads}, options), decoder_(gpuimg::host{threads}) {}

  paco::stream_header header(const paco::picture_format& format) const override { return encoder_.header(format); }
  std::uint64_t bound(const paco::picture_format& format) const override { return encoder_.bound(format); }
  std::uint64_t encode(view<const std::uint8_t> picture, int depth, bytes out) override {
    return encoder_.encode(picture, depth, out);
  }
  std::uint64_t encode(view<const std::int8_t> picture, int depth, bytes out) override {
    return encoder_.encode(picture, depth, out);
  }
  std::uint64_t encode(view<const std::uint16_t> picture, int depth, bytes out) override {
    return encoder_.encode(picture, depth, out);
  }
  std::uint64_t encode(view<const std::int16_t> picture, int depth, bytes out) override {
    return encoder_.encode(picture, depth, out);
  }
  void decode(stream in, view<std::uint8_t> picture) override { decoder_.decode(in, picture); }
  void decode(stream in, view<std::int8_t> picture) override { decoder_.decode(in, picture); }
  void decode(stream in, view<std::uint16_t> picture) override { decoder_.decode(in, picture); }
  void decode(stream in, view<std::int16_t> picture) override { decoder_.decode(in, picture); }
  std::uint64_t decoder_estimate(const paco::stream_header& header, unsigned threads) const override {
    return decoder_.workspace_size(header, threads);
  }
  std::uint64_t decoder_workspace() const override { return decoder_.workspace_size(); }

 private:
  paco::encoder<codec_of<Block, Block>> encoder_;
  paco::decoder<codec_of<Block, Block>> decoder_;
};

}  // namespace

std::unique_ptr<host_codec> make_host_codec(int block, const paco::encode_options& options, unsigned threads) {
  switch (block) {
    case 16: return std::make_unique<codec_of_blocks<16>>(options, threads);
    case 32: return std::make_unique<codec_of_blocks<32>>(options, threads);
    case 128: return std::make_unique<codec_of_blocks<128>>(options, threads);
    default: return std::make_unique<codec_of_blocks<64>>(options, threads);
  }
}

any_picture decode_any_stream(std::span<const std::byte> stream, std::uint64_t most, int fill) {
  return decode_any(stream, most, fill);
}

}  // namespace paco_tests
