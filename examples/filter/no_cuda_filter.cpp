// The filters on a CUDA device in builds that have none.
#include "job.hpp"

#include "gpuimg/core/error.hpp"

#if !GPUIMG_WITH_CUDA

namespace gpuimg::examples {

int cuda_device_count() noexcept { return 0; }

void filter_on_cuda(const filter_job&, const picture_format&, std::span<const std::byte>, std::span<std::byte>,
                    int device) {
  throw error(errc::unsupported, "--device cuda:" + std::to_string(device) + ": this program was built without CUDA");
}

}  // namespace gpuimg::examples

#endif
