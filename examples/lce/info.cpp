// gpuimg-lce info: what a stream says of itself.
#include <cstdio>

#include "commands.hpp"
#include "stream_reader.hpp"
#include "support/report.hpp"

namespace gpuimg::examples {

void info(const info_settings& settings) {
  stream_reader input(settings.input);
  const lce::stream_header& h = input.header();
  for (std::int64_t slab = 0; slab < h.slabs(); ++slab) { input.skip_slab(slab); }
  const bool has_header = input.read_segments().has_value();
  const auto& o = h.options;
  const auto type = type_names[static_cast<std::size_t>(h.type)];
  const auto order = order_names[static_cast<std::size_t>(h.origin)];
  const auto mode = mode_names[static_cast<std::size_t>(o.mode)];
  const double samples = h.empty() ? 1 : static_cast<double>(h.width * h.height * h.bands);
  const double bits = 8 * static_cast<double>(input.position()) / samples;
  if (settings.json) {
    json_object report;
    report.add("width", h.width)
        .add("height", h.height)
        .add("bands", h.bands)
        .add("type", type)
        .add("interleave", order)
        .add("mode", mode)
        .add("delta", o.delta)
        .add("threshold", o.threshold)
        .add("offset", o.offset);
    if (o.mode == lce::coding_mode::lossy) {
      report.add("gamma", o.gamma / 256.0);
    } else {
      report.add("max_error", h.max_error());
    }
    report.add("restart", o.restart)
        .add("band_group", o.band_group)
        .add("zero_flags", o.zero_flags != lce::zero_flag_use::off)
        .add("block_index", o.block_index)
        .add("checksums", o.checksums)
        .add("slab_rows", o.slab_rows)
        .add("slabs", h.slabs())
        .add("envi_header", has_header)
        .add("bytes", input.position())
        .add("bits_per_sample", bits);
    std::printf("%s\n", report.value().text().c_str());
    return;
  }
  std::printf("%lld x %lld pixels, %lld bands, %.*s, from %.*s\n", static_cast<long long>(h.width),
              static_cast<long long>(h.height), static_cast<long long>(h.bands), static_cast<int>(type.size()),
              type.data(), static_cast<int>(order.size()), order.data());
  std::printf("%.*s, step %u, threshold %u, offset %u", static_cast<int>(mode.size()), mode.data(), o.delta,
              o.threshold, o.offset);
  if (o.mode == lce::coding_mode::lossy) {
    std::printf(", gamma %.3f\n", o.gamma / 256.0);
  } else {
    std::printf(", greatest error %u\n", h.max_error());
  }
  std::printf("%lld slabs of %lld rows, restarts every %d bands, index groups of %d bands%s%s%s\n",
              static_cast<long long>(h.slabs()), static_cast<long long>(o.slab_rows), o.restart, o.band_group,
              o.zero_flags != lce::zero_flag_use::off ? ", zero flags" : "", o.block_index ? ", block index" : "",
              o.checksums ? ", checksums" : "");
  std::printf("%llu bytes, %.3f bits a sample%s\n", static_cast<unsigned long long>(input.position()), bits,
              has_header ? ", with an ENVI header" : "");
}

}  // namespace gpuimg::examples
