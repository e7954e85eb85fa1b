// gpuimg-lce decode: a stream, or a part of it, to a cube file.
#include <algorithm>
#include <cstdio>
#include <future>
#include <vector>

#include "commands.hpp"
#include "stream_reader.hpp"
#include "support/report.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {
namespace {

/// The part that is asked for, with its sizes in `layout`. @throws error invalid_argument
lce::decode_options choose_part(const decode_settings& settings, const lce::stream_header& header,
                                cube_layout& layout) {
  lce::decode_options part;
  part.keep_going = settings.keep_going;
  layout = {header.width, header.height, header.bands, header.type, settings.order.value_or(header.origin), false, 0};
  if (settings.window) {
    part.x = (*settings.window)[0];
    part.y = (*settings.window)[1];
    layout.width = (*settings.window)[2];
    layout.height = (*settings.window)[3];
  }
  if (settings.bands) {
    part.first_band = (*settings.bands)[0];
    layout.bands = (*settings.bands)[1];
  }
  lce::any_mutable_cube shape;
  shape.width = layout.width;
  shape.height = layout.height;
  shape.bands = layout.bands;
  shape.type = layout.type;
  lce::check_window(header, shape, part);
  return part;
}

void report_damage(const std::vector<lce::damaged_block>& damage, std::int64_t bands) {
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(damage.size(), most); ++i) {
    const auto& block = damage[i];
    std::fprintf(stderr, "gpuimg-lce: the block at (%lld, %lld) is damaged", static_cast<long long>(block.x),
                 static_cast<long long>(block.y));
    if (block.band < bands) { std::fprintf(stderr, ": zeros from band %lld on", static_cast<long long>(block.band)); }
    std::fputc('\n', stderr);
  }
  if (damage.size() > most) { std::fprintf(stderr, "gpuimg-lce: and %zu blocks more\n", damage.size() - most); }
}

}  // namespace

bool decode(const decode_settings& settings) {
  stream_reader input(settings.input);
  const lce::stream_header& header = input.header();
  cube_layout layout;
  const lce::decode_options part = choose_part(settings, header, layout);
  const auto decoder = make_decoder(settings.coder, header);
  cube_writer output(settings.output, layout);
  progress line("decoding", true);
  const stopwatch watch;
  std::vector<lce::damaged_block> damage;
  std::future<void> writing;  // of which the destructor waits
  for (std::int64_t slab = 0; slab < header.slabs(); ++slab) {
    const std::int64_t top = std::max(part.y, header.first_row(slab));
    const std::int64_t bottom = std::min(part.y + layout.height, header.first_row(slab) + header.rows(slab));
    if (top >= bottom || layout.width == 0 || layout.bands == 0) {
      input.skip_slab(slab);
      continue;
    }
    std::uint64_t offset = 0;
    const auto& bytes = input.read_slab(slab, offset);
    lce::decode_options window = part;
    window.y = top;
    const lce::any_mutable_cube rows = output.buffer(bottom - top);
    const auto found = decoder->decode_slab(slab, bytes, offset, rows, window);
    damage.insert(damage.end(), found.begin(), found.end());
    if (writing.valid()) { writing.get(); }
    writing = std::async(std::launch::async, [&output, &part, top, rows] { output.write_rows(top - part.y, rows); });
    const auto bytes_in_all = static_cast<std::int64_t>(layout.bytes());
    line.show(bytes_in_all / layout.height * (bottom - part.y), bytes_in_all);
  }
  if (writing.valid()) { writing.get(); }
  auto text = input.read_segments().value_or(envi_header());
  text.describe(layout, part.x, part.y, part.first_band);
  output.finish(text);

  report_damage(damage, header.bands);
  const double seconds = watch.seconds();
  if (settings.json) {
    std::printf("%s\n", json_object()
                            .add("width", layout.width)
                            .add("height", layout.height)
                            .add("bands", layout.bands)
                            .add("type", type_names[static_cast<std::size_t>(layout.type)])
                            .add("interleave", order_names[static_cast<std::size_t>(layout.order)])
                            .add("output_bytes", layout.bytes())
                            .add("damaged_blocks", damage.size())
                            .add("seconds", seconds)
                            .value()
                            .text()
                            .c_str());
  } else {
    std::fprintf(settings.output == "-" ? stderr : stdout, "%lld x %lld x %lld samples, %.0f MB/s\n",
                 static_cast<long long>(layout.width), static_cast<long long>(layout.height),
                 static_cast<long long>(layout.bands), static_cast<double>(layout.bytes()) / seconds / 1e6);
  }
  return damage.empty();
}

}  // namespace gpuimg::examples
