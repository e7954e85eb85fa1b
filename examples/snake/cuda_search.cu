#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <type_traits>

#include "noise_choice.hpp"
#include "search.hpp"

#include "gpuimg/segment/snake.cuh"
#include "gpuimg/simt/cuda_memory.cuh"

namespace gpuimg::examples {
namespace {

/// A plane in device memory.
template <class T>
class device_plane {
 public:
  device_plane(const gpuimg::cuda& execution, const T* samples, std::int64_t width, std::int64_t height)
      : memory_(execution, sizeof(T) * static_cast<std::size_t>(width * height)), width_(width), height_(height) {
    simt::check_cuda(cudaMemcpyAsync(memory_.data(), samples, sizeof(T) * static_cast<std::size_t>(width * height),
                                     cudaMemcpyHostToDevice, execution.stream),
                     "copy to the device");
  }
  image_view<const T> view() const { return {memory_.template data<T>(), width_, height_}; }

 private:
  simt::device_buffer memory_;
  std::int64_t width_;
  std::int64_t height_;
};

template <class Model, class T>
snake_findings search_plane(const gpuimg::cuda& execution, const image_view<const T>& view,
                            const snake_picture& picture, const snake_search& search, const Model& model) {
  const simt::device_guard guard(execution.device);
  const auto starts = std::max(search.starts.size() + static_cast<std::size_t>(search.automatic), std::size_t{1});
  device_snakes<Model, T> snakes(execution,
                                 {.width = view.width,
                                  .height = view.height,
                                  .starts = static_cast<std::int64_t>(starts),
                                  .max_nodes = search.parameters.max_nodes,
                                  .masked = !picture.valid.empty()},
                                 model);
  const device_plane<T> samples(execution, view.data, view.width, view.height);
  if (picture.valid.empty()) {
    snakes.load(samples.view());
  } else {
    const device_plane<std::uint8_t> mask(execution, picture.valid.data(), view.width, view.height);
    snakes.load(samples.view(), mask.view());
  }
  snake_findings found{search.starts, {}};
  if (search.automatic > 0) {
    for (const auto& r : snakes.find_rectangles({.count = search.automatic})) {
      found.starts.push_back(to_start(r, picture, search));
    }
  }
  snakes.run(found.starts, search.parameters);
  found.results = snakes.results();
  return found;
}

}  // namespace

int cuda_device_count() noexcept {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

snake_findings search_on_cuda(const snake_picture& picture, const snake_search& search, int device) {
  const gpuimg::cuda execution{.device = device};
  return with_samples(picture, search, [&](const auto& model, const auto& view) {
    using sample = std::remove_const_t<std::remove_reference_t<decltype(*view.data)>>;
    return search_plane<std::remove_cvref_t<decltype(model)>, sample>(execution, view, picture, search, model);
  });
}

}  // namespace gpuimg::examples
