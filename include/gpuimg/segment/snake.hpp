/// @file
/// Region snake on the host: the most likely polygon around a target in a noisy picture.
///
/// A polygon parts the picture into a target and a background, each of one law of noise with unknown parameters. The
/// snake moves the polygon's nodes and adds new ones as long as that makes the picture more likely. It needs no edges
/// and no smoothing, finds targets whose contrast is that of the noise, and returns an explicit contour.
///
/// After Chesnaud, Refregier, Boulet: Statistical region snake-based segmentation adapted to different physical noise
/// models (IEEE PAMI 21, 1999), and Perrot, Domas, Couturier, Bertaux: GPU implementation of a region based algorithm
/// for large images segmentation (CIT 2011). Steps of moves are halved from iteration to iteration.
///
/// @code
/// gpuimg::image_view<const std::uint8_t> picture(samples, 512, 512);
/// const auto found = gpuimg::snake<gpuimg::gaussian>(gpuimg::host{}, picture, gpuimg::rectangle{51, 51, 410, 410});
/// for (const auto& node : found.nodes) { std::printf("%d %d\n", node.x, node.y); }
/// @endcode
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/segment/detail/serial_block.hpp"
#include "gpuimg/segment/detail/snake_checks.hpp"
#include "gpuimg/segment/detail/snake_machine.hpp"
#include "gpuimg/segment/detail/snake_state.hpp"
#include "gpuimg/segment/noise_model.hpp"
#include "gpuimg/segment/polygon.hpp"
#include "gpuimg/segment/prefix_image.hpp"
#include "gpuimg/segment/snake_parameters.hpp"
#include "gpuimg/simt/detail/one_target.hpp"

namespace gpuimg {

/// Is called after each iteration with its record and the polygon.
using snake_observer = std::function<void(const snake_iteration&, const polygon&)>;

namespace detail {

/// Keeps the trace of one snake and tells the caller's observer.
struct host_observer {
  snake_result* result;
  const snake_observer* told;

  GPUIMG_FUNCTION void operator()([[maybe_unused]] const snake_iteration& record,
                                  [[maybe_unused]] const point* nodes) const {
    GPUIMG_ON_HOST(
        if (record.number < longest_trace) { result->trace.push_back(record); } if (*told) {
          (*told)(record, polygon(nodes, nodes + record.nodes));
        })
  }
};

/// Runs one snake on a prefix image; `start` is a checked one.
template <noise_model Model, class Cell>
snake_result run_snake(const prefix_image<Cell>& picture, const snake_start& start, const snake_parameters& parameters,
                       const Model& model, const snake_observer& told) {
  const auto capacity = static_cast<std::size_t>(parameters.max_nodes);
  std::vector<point> nodes(start.nodes);
  nodes.resize(capacity);
  std::vector<point> spare(capacity);
  std::vector<region_sums> edges(capacity);
  std::vector<node_move> moves(static_cast<std::size_t>(moves_for(parameters.max_nodes)));
  std::vector<std::int32_t> queue(capacity);
  std::vector<std::int32_t> proposals(capacity);
  std::vector<std::uint8_t> active(capacity);
  serial_block block;
  snake_state<serial_block::size()> state;
  const snake_memory memory{nodes.data(), spare.data(),     edges.data(),  moves.data(),
                            queue.data(), proposals.data(), active.data(), parameters.max_nodes};
  state.begin(memory, memory, static_cast<std::int32_t>(start.nodes.size()));
  snake_result traced;
  const host_observer observer{&traced, &told};
  const auto view = picture.view();
  snake_machine<serial_block, Model, Cell, host_observer> machine(
      block, state, model, view, 1 / picture.encoding().scale, start.window, parameters, observer);
  const snake_outcome outcome = machine.run();
  snake_result result = to_result(outcome, picture.encoding());
  result.nodes.assign(machine.nodes(), machine.nodes() + outcome.nodes);
  result.trace = std::move(traced.trace);
  return result;
}

}  // namespace detail

/// One snake for each start, all on one picture; snakes are shared among the threads of `execution`.
///
/// @param image   u8, u16, i16 or f32
/// @param starts  polygons with nodes in their windows (0..width, 0..height for the whole picture), in any direction
/// @param mask    0 where a pixel does not count, of the picture's size; an empty view masks nothing. NaN, infinities
/// and
///                samples that the model does not know (see sample_domain) do not count either.
/// @throws error invalid_argument, when the picture is empty or too large (see max_snake_side), the mask has another
///   size, a start does not fit or a parameter is out of range
/// Complexity: O(pixels) for the prefix sums, then O(contour length) for a pass over the nodes.
template <noise_model Model, class T>
requires snake_sample<std::remove_const_t<T>> std::vector<snake_result> snakes(
    const host& execution, const image_view<T>& image, std::span<const snake_start> starts,
    const snake_parameters& parameters = {}, const image_view<const std::uint8_t>& mask = {}, const Model& model = {},
    const snake_observer& observer = {}) {
  using sample = std::remove_const_t<T>;
  const image_view<const sample> picture = image;
  detail::check_snake_picture(picture, mask);
  detail::check_snake_parameters(parameters);
  std::vector<snake_start> checked;
  for (const auto& start : starts) {
    checked.push_back(detail::checked_start(start, image.width, image.height, parameters));
  }
  std::vector<snake_result> results(starts.size());
  detail::with_cell<Model, sample>(mask.data != nullptr, image.width, [&]<class Cell>() {
    const auto prefix = make_prefix_image<Model, Cell>(execution, picture, mask);
    parallel_for(execution.thread_count(), static_cast<std::int64_t>(starts.size()), [&](std::int64_t i, unsigned) {
      const auto index = static_cast<std::size_t>(i);
      results[index] = detail::run_snake(prefix, checked[index], parameters, model, observer);
    });
  });
  return results;
}

/// One snake; see snakes. `observer` is called after each iteration, from the calling thread.
template <noise_model Model, class T>
requires snake_sample<std::remove_const_t<T>> snake_result snake(const host& execution, const image_view<T>& image,
                                                                 const snake_start& start,
                                                                 const snake_parameters& parameters = {},
                                                                 const image_view<const std::uint8_t>& mask = {},
                                                                 const Model& model = {},
                                                                 const snake_observer& observer = {}) {
  return snakes<Model>(execution, image, std::span(&start, 1), parameters, mask, model, observer).front();
}

/// One snake that starts from a polygon in the whole picture.
template <noise_model Model, class T>
requires snake_sample<std::remove_const_t<T>> snake_result
snake(const host& execution, const image_view<T>& image, const polygon& start, const snake_parameters& parameters = {},
      const image_view<const std::uint8_t>& mask = {}, const Model& model = {}, const snake_observer& observer = {}) {
  return snake<Model>(execution, image, snake_start{start, {}}, parameters, mask, model, observer);
}

/// One snake that starts from a rectangle in the whole picture.
template <noise_model Model, class T>
requires snake_sample<std::remove_const_t<T>> snake_result snake(
    const host& execution, const image_view<T>& image, const rectangle& start, const snake_parameters& parameters = {},
    const image_view<const std::uint8_t>& mask = {}, const Model& model = {}, const snake_observer& observer = {}) {
  return snake<Model>(execution, image, snake_start{to_polygon(start), {}}, parameters, mask, model, observer);
}

}  // namespace gpuimg
