/// @file
/// Prefix images on the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"
#include "gpuimg/core/image_view.hpp"
#include "gpuimg/core/parallel_for.hpp"
#include "gpuimg/segment/region_sums.hpp"
#include "gpuimg/segment/sample_encoding.hpp"

namespace gpuimg {

/// A picture's row prefix sums, with the encoding that made them.
template <class Cell>
class prefix_image {
 public:
  prefix_image(std::int64_t width, std::int64_t height, const sample_encoding& encoding)
      : encoding_(encoding),
        width_(width),
        height_(height),
        pitch_(prefix_view<Cell>::pitch_for(width)),
        cells_(std::make_unique_for_overwrite<Cell[]>(static_cast<std::size_t>(pitch_ * height))) {}

  prefix_view<Cell> view() noexcept {
    return {cells_.get(), static_cast<std::int32_t>(width_), static_cast<std::int32_t>(height_), pitch_};
  }
  prefix_view<const Cell> view() const noexcept {
    return {cells_.get(), static_cast<std::int32_t>(width_), static_cast<std::int32_t>(height_), pitch_};
  }
  const sample_encoding& encoding() const noexcept { return encoding_; }

 private:
  sample_encoding encoding_;
  std::int64_t width_;
  std::int64_t height_;
  std::int64_t pitch_;
  std::unique_ptr<Cell[]> cells_;
};

namespace detail {

/// @throws error invalid_argument for a picture that a snake cannot take, or a mask of another size
template <class T>
void check_snake_picture(const image_view<const T>& image, const image_view<const std::uint8_t>& mask) {
  const auto size = [](std::int64_t w, std::int64_t h) { return std::to_string(w) + "x" + std::to_string(h); };
  if (image.empty()) {
    throw error(errc::invalid_argument, "snake: the picture is empty (" + size(image.width, image.height) + ")");
  }
  if (image.width > max_snake_side || image.height > max_snake_side ||
      image.width > (std::int64_t{1} << 31) / image.height) {
    throw error(errc::invalid_argument, "snake: a picture of " + size(image.width, image.height) +
                                            " is above 2^25 pixels a side or 2^31 pixels in all");
  }
  if (mask.data != nullptr && (mask.width != image.width || mask.height != image.height)) {
    throw error(errc::invalid_argument, "snake: the mask is " + size(mask.width, mask.height) + ", the picture " +
                                            size(image.width, image.height));
  }
}

/// Calls body(sample, valid) for the pixels of row y.
template <noise_model Model, class T, class Body>
void for_row(const image_view<const T>& image, const image_view<const std::uint8_t>& mask, std::int64_t y,
             const Body& body) {
  const T* samples = image.row(y);
  const std::uint8_t* valid = mask.data == nullptr ? nullptr : mask.row(y);
  for (std::int64_t x = 0; x < image.width; ++x) { body(x, samples[x], valid == nullptr || valid[x] != 0); }
}

}  // namespace detail

/// Range of the samples that `Model` knows and the mask leaves in. O(pixels).
template <noise_model Model, snake_sample T>
sample_range find_range(const host& execution, const image_view<const T>& image,
                        const image_view<const std::uint8_t>& mask = {}) {
  std::vector<sample_range> ranges(execution.thread_count());
  parallel_for(execution.thread_count(), image.height, [&](std::int64_t y, unsigned thread) {
    auto& range = ranges[thread];
    detail::for_row<Model>(image, mask, y, [&](std::int64_t, T sample, bool valid) {
      if (!valid || !is_valid_sample<Model>(sample)) { return; }
      range.low = std::min(range.low, static_cast<double>(sample));
      range.high = std::max(range.high, static_cast<double>(sample));
    });
  });
  sample_range all;
  for (const auto& range : ranges) { all = {std::min(all.low, range.low), std::max(all.high, range.high)}; }
  return all;
}

/// Prefix sums of every row. A mask is 0 where a pixel does not count; an empty view masks nothing. O(pixels).
/// @tparam Cell  compact_cell for u8, wide_cell for wider samples, masked_cell when there is a mask or when not all
///               samples are valid (see all_samples_valid)
/// @throws error invalid_argument for an empty or too large picture or a mask of another size
template <noise_model Model, class Cell, snake_sample T>
prefix_image<Cell> make_prefix_image(const host& execution, const image_view<const T>& image,
                                     const image_view<const std::uint8_t>& mask = {}) {
  detail::check_snake_picture(image, mask);
  if (image.width > Cell::max_width) {
    throw error(errc::invalid_argument, "make_prefix_image: rows of " + std::to_string(image.width) +
                                            " pixels are above " + std::to_string(Cell::max_width));
  }
  sample_range range;
  if constexpr (needs_range<Model, T>) { range = find_range<Model>(execution, image, mask); }
  const auto encoding = make_encoding<Model, T>(range, image.size());
  prefix_image<Cell> result(image.width, image.height, encoding);
  const auto view = result.view();
  parallel_for(execution.thread_count(), image.height, [&](std::int64_t y, unsigned) {
    Cell* row = view.row(y);
    region_sums sums;
    detail::for_row<Model>(image, mask, y, [&](std::int64_t x, T sample, bool valid) {
      row[x] = Cell::make(sums);
      sums += pixel_sums<Model>(encoding, sample, valid);
    });
    row[image.width] = Cell::make(sums);
  });
  return result;
}

}  // namespace gpuimg
