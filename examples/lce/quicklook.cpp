#include "quicklook.hpp"

#include <algorithm>
#include <cstring>

#include "support/picture_io.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {
namespace {

/// The value at a part of the sorted plane.
std::uint16_t percentile(std::vector<std::uint16_t> plane, std::size_t percent) {
  if (plane.empty()) { return 0; }
  const std::size_t at = (plane.size() - 1) * percent / 100;
  std::nth_element(plane.begin(), plane.begin() + static_cast<std::ptrdiff_t>(at), plane.end());
  return plane[at];
}

}  // namespace

quicklook::quicklook(const cube_layout& layout, const std::array<std::int64_t, 3>& bands)
    : layout_(layout), bands_(bands) {
  for (const std::int64_t band : bands) {
    if (band < 0 || band >= layout.bands) {
      throw error(errc::invalid_argument,
                  "--quicklook: band " + std::to_string(band) + " of 0.." + std::to_string(layout.bands - 1));
    }
  }
}

void quicklook::add_rows(const lce::any_cube& rows) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::int64_t y = 0; y < rows.height; ++y) {
      for (std::int64_t x = 0; x < rows.width; ++x) {
        std::uint16_t sample = 0;
        std::memcpy(&sample, rows.at(x, y, bands_[i]), static_cast<std::size_t>(lce::bytes_of(rows.type)));
        planes_[i].push_back(rows.type == lce::sample_type::i16 ? static_cast<std::uint16_t>(sample ^ 0x8000) : sample);
      }
    }
  }
}

void quicklook::write(const std::string& path) const {
  picture_format format;
  format.width = layout_.width;
  format.height = layout_.height;
  format.components = 3;
  format.depth = 8;
  const auto writer = picture_writer::open(path, format, file_kind::png);
  std::array<int, 3> low{};
  std::array<int, 3> range{};
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = percentile(planes_[i], 2);
    range[i] = std::max(percentile(planes_[i], 98) - low[i], 1);
  }
  std::vector<std::byte> row(static_cast<std::size_t>(format.bytes_per_row()));
  for (std::int64_t y = 0; y < format.height; ++y) {
    for (std::int64_t x = 0; x < format.width; ++x) {
      for (std::size_t i = 0; i < 3; ++i) {
        const int sample = planes_[i][static_cast<std::size_t>(y * format.width + x)];
        row[static_cast<std::size_t>(3 * x) + i] =
            static_cast<std::byte>(std::clamp((sample - low[i]) * 255 / range[i], 0, 255));
      }
    }
    writer->write_rows(1, row);
  }
  writer->finish();
}

}  // namespace gpuimg::examples
