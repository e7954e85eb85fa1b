// What the coder's features bring, on pictures of your own: bits a sample (every header and table counted), and for a
// warp of 32 lanes steps (events) and decisions (coded symbols) a sample. Steps x 32 / decisions is how full the lanes
// are.
//
//   benchmark_coder_features PICTURE...        pictures as gpuimg-paco reads them, up to 16 bits
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "examples/support/picture_io.hpp"

#include "gpuimg/codec/paco/encoder.hpp"

namespace {

using namespace gpuimg;
using shape = codec::block_shape<64, 64>;

struct variant {
  const char* name;
  paco::encode_options options;
};

std::vector<variant> variants() {
  std::vector<variant> v(8);
  v[0] = {"plain", {}};
  v[0].options.raw_planes = 0;
  v[0].options.features = {false, false, false};
  v[1] = v[0];
  v[1].name = "+ strip flags";
  v[1].options.features.strip_flags = true;
  v[2] = v[1];
  v[2].name = "+ raw refinement (R = 2)";
  v[2].options.raw_planes = 2;
  v[3] = v[2];
  v[3].name = "+ raw signs (the default)";
  v[3].options.features.raw_signs = true;
  v[4] = v[3];
  v[4].name = "default, R = 8";
  v[4].options.raw_planes = 8;
  v[5] = v[3];
  v[5].name = "default + compact refinement";
  v[5].options.features.compact_refinement = true;
  v[6] = v[3];
  v[6].name = "default - strip flags";
  v[6].options.features.strip_flags = false;
  v[7] = v[3];
  v[7].name = "default, tables not fitted";
  v[7].options.choice = paco::table_choice::standard;
  return v;
}

struct totals {
  double samples = 0;
  double bytes = 0;
  double steps = 0;
  double decisions = 0;
};

/// Walks all blocks of a picture, counting.
template <class S>
void count_steps(const paco::stream_header& h, const cube_view<const S>& picture, totals& to) {
  std::vector<std::int32_t> memory(static_cast<std::size_t>(picture.size()));
  const planar_view<std::int32_t> planes(memory.data(), picture.width, picture.height, picture.bands);
  codec::load_samples(host{}, picture, paco::detail::samples_of(h), planes);
  for (std::int64_t c = 0; c < picture.bands; ++c) { codec::forward_cdf_5_3(host{}, planes.plane(c), h.levels); }
  const auto coder = std::make_unique<codec::host_block_coder<shape>>();
  std::vector<std::uint32_t> counts(2 * paco::set_cells);
  for (const auto& g : paco::layout_tile(h, picture.width, picture.height).groups) {
    const auto plane = planes.plane(g.component);
    for (std::int64_t b = g.first_block; b < g.first_block + g.blocks(); ++b) {
      const auto place = paco::block_of(g, b, shape::width, shape::height);
      auto p = paco::detail::parameters_of(h, place, 0, 0);
      p.planes = coder->load(place.width, place.height, [&](int x, int y) { return plane(place.x + x, place.y + y); });
      p.raw_sign_row = codec::raw_sign_row(place.height, coder->raw_sign_rows(p));
      std::fill(counts.begin(), counts.end(), 0u);
      to.steps += static_cast<double>(coder->count(p, counts.data()));
      for (const std::uint32_t n : counts) { to.decisions += n; }
    }
  }
}

template <class S>
void add_picture(const examples::picture_format& f, const std::vector<std::byte>& rows, const variant& v, totals& to) {
  const cube_view<const S> picture(reinterpret_cast<const S*>(rows.data()), f.width, f.height, f.components,
                                   interleave::bip);
  paco::encoder<paco::lossless> encoder({}, v.options);
  const auto h = encoder.header({f.width, f.height, f.components, f.depth, std::is_signed_v<S>});
  std::vector<std::byte> stream(static_cast<std::size_t>(paco::stream_bound(h)));
  to.samples += static_cast<double>(picture.size());
  to.bytes += static_cast<double>(encoder.encode(picture, f.depth, stream));
  count_steps(h, picture, to);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto all = variants();
    std::vector<totals> sums(all.size());
    for (int i = 1; i < argc; ++i) {
      const auto reader = examples::picture_reader::open(argv[i]);
      const auto& f = reader->format();
      std::vector<std::byte> rows(static_cast<std::size_t>(f.bytes()));
      reader->read_rows(f.height, rows);
      for (std::size_t v = 0; v < all.size(); ++v) {
        if (f.depth <= 8) {
          f.is_signed ? add_picture<std::int8_t>(f, rows, all[v], sums[v])
                      : add_picture<std::uint8_t>(f, rows, all[v], sums[v]);
        } else {
          f.is_signed ? add_picture<std::int16_t>(f, rows, all[v], sums[v])
                      : add_picture<std::uint16_t>(f, rows, all[v], sums[v]);
        }
      }
    }
    std::printf("| features | bits a sample | steps x 32 a sample | decisions a sample |\n|---|---|---|---|\n");
    for (std::size_t v = 0; v < all.size(); ++v) {
      const totals& t = sums[v];
      std::printf("| %s | %.4f | %.2f | %.2f |\n", all[v].name, 8 * t.bytes / t.samples, 32 * t.steps / t.samples,
                  t.decisions / t.samples);
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "benchmark_coder_features: %s\n", e.what());
    return 1;
  }
}
