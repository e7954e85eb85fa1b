// Coders on a CUDA device in builds that have none.
#include "slab_coder.hpp"

#include "gpuimg/core/error.hpp"

#if !GPUIMG_WITH_CUDA

namespace gpuimg::examples {
namespace {

[[noreturn]] void refuse(int device) {
  throw error(errc::unsupported, "--device cuda:" + std::to_string(device) + ": this program was built without CUDA");
}

}  // namespace

int cuda_device_count() noexcept { return 0; }
std::unique_ptr<slab_encoder> make_cuda_encoder(int device, const lce::stream_header&) { refuse(device); }
std::unique_ptr<slab_decoder> make_cuda_decoder(int device, const lce::stream_header&) { refuse(device); }

}  // namespace gpuimg::examples

#endif
