// Coders on a CUDA device.
#include <cuda_runtime_api.h>
#include <string>

#include "slab_coder.hpp"

#include "gpuimg/codec/lce/cube_transfer.hpp"
#include "gpuimg/codec/lce/device_decoder.cuh"
#include "gpuimg/codec/lce/device_encoder.cuh"
#include "gpuimg/codec/lce/device_lanes.cuh"

namespace gpuimg::examples {
namespace {

cuda execution_on(int device) {
  if (device >= cuda_device_count()) {
    throw error(errc::unsupported, "--device cuda:" + std::to_string(device) + ": this machine has " +
                                       std::to_string(cuda_device_count()) + " CUDA devices");
  }
  cuda execution;
  execution.device = device;
  return execution;
}

class cuda_slab_encoder final : public slab_encoder {
 public:
  cuda_slab_encoder(const cuda& execution, const lce::stream_header& header)
      : execution_(execution),
        encoder_(execution, header),
        rows_(execution),
        output_(execution, static_cast<std::size_t>(lce::most_slab_bytes(header, 0))),
        result_(execution, sizeof(lce::encode_result)) {}

  void encode_slab(std::int64_t slab, const lce::any_cube& rows, std::vector<std::byte>& out) override {
    const simt::device_guard guard(execution_.device);
    const lce::cube_transfer transfer(rows);
    rows_.reserve(static_cast<std::size_t>(transfer.bytes()));
    lce::copy_cube(transfer, const_cast<std::byte*>(rows.data), rows_.data(), true, execution_.stream);
    encoder_.encode_slab(slab, transfer.packed<const std::byte>(rows, rows_.data()), output_.data(),
                         static_cast<std::int64_t>(output_.size()), result_.data<lce::encode_result>());
    lce::encode_result result{};
    simt::check_cuda(cudaMemcpy(&result, result_.data(), sizeof result, cudaMemcpyDeviceToHost), "encoder");
    const std::size_t start = out.size();
    out.resize(start + result.bytes);
    simt::check_cuda(cudaMemcpy(out.data() + start, output_.data(), result.bytes, cudaMemcpyDeviceToHost), "copy");
  }

 private:
  cuda execution_;
  lce::device_encoder encoder_;
  simt::device_buffer rows_;
  simt::device_buffer output_;
  simt::device_buffer result_;
};

class cuda_slab_decoder final : public slab_decoder {
 public:
  cuda_slab_decoder(const cuda& execution, const lce::stream_header& header)
      : execution_(execution), decoder_(execution, header), bytes_(execution), rows_(execution) {}

  std::vector<lce::damaged_block> decode_slab(std::int64_t slab, std::span<const std::byte> bytes, std::uint64_t offset,
                                              const lce::any_mutable_cube& destination,
                                              const lce::decode_options& options) override {
    const simt::device_guard guard(execution_.device);
    bytes_.reserve(bytes.size());
    simt::check_cuda(
        cudaMemcpyAsync(bytes_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice, execution_.stream), "copy");
    const lce::cube_transfer transfer(destination);
    rows_.reserve(static_cast<std::size_t>(transfer.bytes()));
    decoder_.decode_slab(slab, bytes_.data(), static_cast<std::int64_t>(bytes.size()),
                         transfer.packed<std::byte>(destination, rows_.data()), options);
    lce::copy_cube(transfer, destination.data, rows_.data(), false, execution_.stream);
    auto damage = decoder_.report(offset);
    simt::check_cuda(cudaStreamSynchronize(execution_.stream), "decoder");
    if (!damage.empty() && !options.keep_going) { lce::host_decoder::refuse(damage.front(), damage.size()); }
    return damage;
  }

 private:
  cuda execution_;
  lce::device_decoder decoder_;
  simt::device_buffer bytes_;
  simt::device_buffer rows_;
};

}  // namespace

int cuda_device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return count;
}

std::unique_ptr<slab_encoder> make_cuda_encoder(int device, const lce::stream_header& header) {
  return std::make_unique<cuda_slab_encoder>(execution_on(device), header);
}

std::unique_ptr<slab_decoder> make_cuda_decoder(int device, const lce::stream_header& header) {
  return std::make_unique<cuda_slab_decoder>(execution_on(device), header);
}

}  // namespace gpuimg::examples
