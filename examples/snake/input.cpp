#include "input.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "support/picture_io.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {
namespace {

/// The sample at `bytes`, which the format describes.
double to_number(const std::byte* bytes, const picture_format& format) {
  const auto as = [&](auto zero) {
    std::memcpy(&zero, bytes, sizeof zero);
    return static_cast<double>(zero);
  };
  switch (format.bytes_per_sample()) {
    case 1: return format.is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2: return format.is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    default: return format.is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
  }
}

/// Calls body(i, samples) for each pixel in order; samples are the pixel's components.
template <class Body>
picture_format for_pixels(const std::string& path, const Body& body) {
  const auto reader = picture_reader::open(path);
  const picture_format format = reader->format();
  std::vector<std::byte> row(static_cast<std::size_t>(format.bytes_per_row()));
  std::vector<double> pixel(static_cast<std::size_t>(format.components));
  for (std::int64_t y = 0; y < format.height; ++y) {
    reader->read_rows(1, row);
    const std::byte* at = row.data();
    for (std::int64_t x = 0; x < format.width; ++x) {
      for (auto& sample : pixel) {
        sample = to_number(at, format);
        at += format.bytes_per_sample();
      }
      body(format, pixel);
    }
  }
  return format;
}

}  // namespace

snake_picture read_snake_picture(const std::string& path, const picture_choice& choice) {
  snake_picture picture;
  bool all_valid = true;
  const auto format = for_pixels(path, [&](const picture_format& f, const std::vector<double>& pixel) {
    const int colours = f.components - (f.has_alpha ? 1 : 0);
    if (choice.component >= f.components) {
      throw error(errc::invalid_argument, "component " + std::to_string(choice.component) + " of a picture of " +
                                              std::to_string(f.components) + " components");
    }
    double v = pixel[static_cast<std::size_t>(choice.component < 0 ? 0 : choice.component)];
    if (choice.component < 0 && colours >= 3) { v = 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]; }
    bool valid = !(choice.no_data && v == *choice.no_data);
    if (f.has_alpha && choice.component != f.components - 1) { valid = valid && pixel.back() != 0; }
    all_valid = all_valid && valid;
    picture.valid.push_back(valid ? 255 : 0);
    if (f.depth <= 8 && !f.is_signed) {
      picture.bytes.push_back(static_cast<std::uint8_t>(std::lround(v)));
    } else {
      picture.reals.push_back(static_cast<float>(v));
    }
  });
  picture.width = format.width;
  picture.height = format.height;
  picture.is_u8 = !picture.bytes.empty();
  if (all_valid) { picture.valid.clear(); }
  return picture;
}

label_range parse_labels(const std::string& text) {
  long low = 0;
  long high = 0;
  int used = 0;
  const auto whole = [&] { return static_cast<std::size_t>(used) == text.size(); };
  if (std::sscanf(text.c_str(), "%ld..%ld%n", &low, &high, &used) == 2 && whole()) {
    return {static_cast<double>(low), static_cast<double>(high)};
  }
  if (std::sscanf(text.c_str(), "%ld%n", &low, &used) == 1 && whole()) {
    return {static_cast<double>(low), static_cast<double>(low)};
  }
  throw error(errc::invalid_argument, "\"" + text + "\" is not a label or a range of labels such as 1..127");
}

std::vector<std::uint8_t> read_mask(const std::string& path, std::int64_t width, std::int64_t height,
                                    const label_range& labels) {
  std::vector<std::uint8_t> mask;
  const auto format = for_pixels(path, [&](const picture_format&, const std::vector<double>& pixel) {
    mask.push_back(pixel[0] >= labels.low && pixel[0] <= labels.high ? 255 : 0);
  });
  if (format.width != width || format.height != height) {
    throw error(errc::invalid_argument, path + " is " + std::to_string(format.width) + "x" +
                                            std::to_string(format.height) + ", not " + std::to_string(width) + "x" +
                                            std::to_string(height));
  }
  return mask;
}

polygon read_polygon(const std::string& path) {
  std::ifstream file(path);
  if (!file) { throw error(errc::io, path + ": cannot be read"); }
  polygon nodes;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::istringstream words(line);
    point p;
    std::string rest;
    if (line.empty() || line[0] == '#') { continue; }
    if (!(words >> p.x >> p.y) || (words >> rest)) {
      throw error(errc::corrupt, path + ", line " + std::to_string(number) + ": \"" + line + "\" is not two integers");
    }
    nodes.push_back(p);
  }
  return nodes;
}

std::vector<rectangle> read_label_boxes(const std::string& path, std::int64_t width, std::int64_t height) {
  const snake_picture labels = read_snake_picture(path, {.component = 0, .no_data = {}});
  if (labels.width != width || labels.height != height) {
    throw error(errc::invalid_argument, path + " is not of the picture's size");
  }
  std::map<double, rectangle> boxes;
  for (std::int32_t y = 0; y < height; ++y) {
    for (std::int32_t x = 0; x < width; ++x) {
      const double label = labels.sample(static_cast<std::size_t>(y * width + x));
      if (label == 0) { continue; }
      rectangle& box = boxes.try_emplace(label, rectangle{x, y, 1, 1}).first->second;
      const std::int32_t right = std::max(box.right(), x + 1);
      box.x = std::min(box.x, x);
      box.width = right - box.x;
      box.height = y + 1 - box.y;
    }
  }
  std::vector<rectangle> result;
  result.reserve(boxes.size());
  for (const auto& [label, box] : boxes) { result.push_back(box); }
  return result;
}

rectangle grown(const rectangle& r, std::int32_t by, std::int64_t width, std::int64_t height) {
  const std::int32_t left = std::max(0, r.x - by);
  const std::int32_t upper = std::max(0, r.y - by);
  const auto right = static_cast<std::int32_t>(std::min<std::int64_t>(width, std::int64_t{r.right()} + by));
  const auto lower = static_cast<std::int32_t>(std::min<std::int64_t>(height, std::int64_t{r.bottom()} + by));
  return {left, upper, right - left, lower - upper};
}

rectangle parse_rectangle(const std::string& text) {
  rectangle r;
  int used = 0;
  const int found = std::sscanf(text.c_str(), "%9d,%9d,%9d,%9d%n", &r.x, &r.y, &r.width, &r.height, &used);
  if (found != 4 || static_cast<std::size_t>(used) != text.size() || r.empty()) {
    throw error(errc::invalid_argument, "\"" + text + "\" is not a rectangle x,y,width,height");
  }
  return r;
}

}  // namespace gpuimg::examples
