#include "slab_coder.hpp"

#include "gpuimg/codec/lce/host_encoder.hpp"
#include "gpuimg/core/execution.hpp"

namespace gpuimg::examples {
namespace {

class host_slab_encoder final : public slab_encoder {
 public:
  host_slab_encoder(unsigned threads, const lce::stream_header& header) : encoder_(host{threads}, header) {}

  void encode_slab(std::int64_t slab, const lce::any_cube& rows, std::vector<std::byte>& out) override {
    encoder_.encode_slab(slab, rows, out);
  }

 private:
  lce::host_encoder encoder_;
};

class host_slab_decoder final : public slab_decoder {
 public:
  host_slab_decoder(unsigned threads, const lce::stream_header& header) : decoder_(host{threads}, header) {}

  std::vector<lce::damaged_block> decode_slab(std::int64_t slab, std::span<const std::byte> bytes, std::uint64_t offset,
                                              const lce::any_mutable_cube& destination,
                                              const lce::decode_options& options) override {
    return decoder_.decode_slab(slab, bytes, offset, destination, options);
  }

 private:
  lce::host_decoder decoder_;
};

}  // namespace

std::unique_ptr<slab_encoder> make_encoder(const coder_choice& choice, const lce::stream_header& header) {
  if (choice.cuda) { return make_cuda_encoder(choice.device, header); }
  return std::make_unique<host_slab_encoder>(choice.threads, header);
}

std::unique_ptr<slab_decoder> make_decoder(const coder_choice& choice, const lce::stream_header& header) {
  if (choice.cuda) { return make_cuda_decoder(choice.device, header); }
  return std::make_unique<host_slab_decoder>(choice.threads, header);
}

}  // namespace gpuimg::examples
