#include "output.hpp"

#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <span>

#include "support/picture_io.hpp"

#include "gpuimg/core/error.hpp"
#include "gpuimg/segment/region_measures.hpp"

namespace gpuimg::examples {
namespace {

/// Text as printf makes it.
[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

void write_text(const std::string& path, const std::string& contents) {
  if (path == "-") {
    std::fputs(contents.c_str(), stdout);
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  if (!file) { throw error(errc::io, path + ": cannot be written"); }
}

std::string statistics(const region_statistics& s) {
  return text(R"({"pixels": %lld, "mean": %.9g, "variance": %.9g})", static_cast<long long>(s.pixels), s.mean,
              s.variance);
}

std::string snake_json(const snake_result& r) {
  std::string out = text(R"(    {"criterion": %.17g, "reason": "%s", "iterations": %d, "passes": %d, "crossings": %d,)",
                         r.criterion, std::string(name(r.reason)).c_str(), r.iterations, r.passes, r.crossings);
  out += text("\n     \"length\": %.9g, \"area\": %.9g,", contour_length(r.nodes),
              static_cast<double>(doubled_area(r.nodes)) / 2);
  out += "\n     \"target\": " + statistics(r.target) + ", \"background\": " + statistics(r.background);
  out += ",\n     \"nodes\": [";
  for (std::size_t i = 0; i < r.nodes.size(); ++i) {
    out += text("%s[%d, %d]", i == 0 ? "" : ", ", r.nodes[i].x, r.nodes[i].y);
  }
  return out + "]}";
}

/// A picture in RGB that lines are drawn on.
struct canvas {
  std::int64_t width;
  std::int64_t height;
  std::vector<std::uint8_t> rgb;

  void set(std::int64_t x, std::int64_t y, const std::uint8_t (&colour)[3]) {
    if (x < 0 || y < 0 || x >= width || y >= height) { return; }
    std::uint8_t* p = rgb.data() + (y * width + x) * 3;
    p[0] = colour[0];
    p[1] = colour[1];
    p[2] = colour[2];
  }

  void draw(const polygon& nodes, int zoom, const std::uint8_t (&colour)[3]) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const point& a = nodes[i];
      const point& b = nodes[i + 1 == nodes.size() ? 0 : i + 1];
      const int steps = 2 * zoom * std::max({std::abs(b.x - a.x), std::abs(b.y - a.y), 1});
      for (int k = 0; k <= steps; ++k) {
        const double t = static_cast<double>(k) / steps;
        set(std::llround(zoom * (a.x + t * (b.x - a.x))), std::llround(zoom * (a.y + t * (b.y - a.y))), colour);
      }
    }
  }
};

}  // namespace

void write_json(const std::string& path, const snake_picture& picture, const snake_search& search,
                const snake_findings& found, const std::optional<truth_scores>& scores) {
  std::string out =
      text("{\n  \"width\": %lld, \"height\": %lld, \"noise\": \"%s\",\n", static_cast<long long>(picture.width),
           static_cast<long long>(picture.height), search.noise.c_str());
  if (scores) {
    out += text("  \"dice\": %.6f, ", scores->dice);
    out +=
        std::isfinite(scores->hausdorff) ? text("\"hausdorff\": %.4f,\n", scores->hausdorff) : "\"hausdorff\": null,\n";
  }
  out += "  \"snakes\": [\n";
  for (std::size_t i = 0; i < found.results.size(); ++i) {
    out += snake_json(found.results[i]) + (i + 1 == found.results.size() ? "\n" : ",\n");
  }
  write_text(path, out + "  ]\n}\n");
}

void write_svg(const std::string& path, const snake_picture& picture, const snake_findings& found) {
  const auto w = static_cast<long long>(picture.width);
  const auto h = static_cast<long long>(picture.height);
  std::string out = text(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lld\" height=\"%lld\" "
      "viewBox=\"0 0 %lld %lld\">\n",
      w, h, w, h);
  for (const auto& r : found.results) {
    out += "  <path fill=\"none\" stroke=\"red\" d=\"M";
    for (const auto& p : r.nodes) { out += text(" %d,%d", p.x, p.y); }
    out += " Z\"/>\n";
  }
  write_text(path, out + "</svg>\n");
}

void write_trace(const std::string& path, const snake_findings& found) {
  std::string out = "snake iteration step row_stride passes moves nodes criterion\n";
  for (std::size_t i = 0; i < found.results.size(); ++i) {
    for (const auto& t : found.results[i].trace) {
      out += text("%zu %d %d %d %d %d %d %.6f\n", i, t.number, t.step, t.row_stride, t.passes, t.moves, t.nodes,
                  t.criterion);
    }
  }
  write_text(path, out);
}

std::vector<std::uint8_t> make_mask(const snake_picture& picture, const snake_findings& found) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(picture.width * picture.height));
  std::vector<std::uint8_t> one(all.size());
  for (const auto& r : found.results) {
    fill_polygon(r.nodes, {one.data(), picture.width, picture.height});
    for (std::size_t i = 0; i < all.size(); ++i) { all[i] = static_cast<std::uint8_t>(all[i] | one[i]); }
  }
  return all;
}

void write_mask(const std::string& path, const snake_picture& picture, const std::vector<std::uint8_t>& mask) {
  const auto writer = picture_writer::open(path, {.width = picture.width, .height = picture.height});
  writer->write_rows(picture.height, std::as_bytes(std::span(mask)));
  writer->finish();
}

void write_overlay(const std::string& path, const snake_picture& picture, const snake_findings& found,
                   const std::vector<std::uint8_t>& truth, int zoom) {
  double low = INFINITY;
  double high = -INFINITY;
  const auto pixels = static_cast<std::size_t>(picture.width * picture.height);
  for (std::size_t i = 0; i < pixels; ++i) {
    low = std::min(low, picture.sample(i));
    high = std::max(high, picture.sample(i));
  }
  const double scale = high > low ? 255 / (high - low) : 0;
  canvas out{picture.width * zoom, picture.height * zoom, {}};
  out.rgb.resize(static_cast<std::size_t>(out.width * out.height * 3));
  const auto in_truth = [&](std::int64_t x, std::int64_t y) {
    return x >= 0 && y >= 0 && x < picture.width && y < picture.height &&
           truth[static_cast<std::size_t>(y * picture.width + x)] != 0;
  };
  for (std::int64_t y = 0; y < out.height; ++y) {
    for (std::int64_t x = 0; x < out.width; ++x) {
      const std::int64_t px = x / zoom;
      const std::int64_t py = y / zoom;
      const double v = (picture.sample(static_cast<std::size_t>(py * picture.width + px)) - low) * scale;
      const auto grey = static_cast<std::uint8_t>(std::isfinite(v) ? v : 0);
      out.set(x, y, {grey, grey, grey});
      if (truth.empty() || !in_truth(px, py)) { continue; }
      const bool edge =
          !in_truth(px - 1, py) || !in_truth(px + 1, py) || !in_truth(px, py - 1) || !in_truth(px, py + 1);
      if (edge) { out.set(x, y, {0, 200, 0}); }
    }
  }
  for (const auto& start : found.starts) { out.draw(start.nodes, zoom, {60, 120, 255}); }
  for (const auto& r : found.results) { out.draw(r.nodes, zoom, {255, 30, 30}); }
  const auto writer = picture_writer::open(path, {.width = out.width, .height = out.height, .components = 3});
  writer->write_rows(out.height, std::as_bytes(std::span(out.rgb)));
  writer->finish();
}

}  // namespace gpuimg::examples
