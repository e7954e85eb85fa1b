// Rates and errors of other codecs on a hyperspectral cube: LERC, JPEG-LS (CharLS), zfp and JPEG 2000 (OpenJPEG).
//
//     peers WIDTH HEIGHT BANDS CUBE.raw
//
// The cube is unsigned 16-bit, little-endian, BSQ. Prints lines of comma-separated values: codec, what was asked, bits
// a sample, greatest error, mean squared error. Built by rates.py; not part of the project's build, which does not
// depend on these libraries.
#include <Lerc_c_api.h>
#include <algorithm>
#include <charls/charls.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <openjpeg.h>
#include <string>
#include <vector>
#include <zfp.h>

namespace {

struct cube {
  int width = 0;
  int height = 0;
  int bands = 0;
  std::vector<std::uint16_t> samples;

  std::size_t plane() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
  const std::uint16_t* band(int b) const { return samples.data() + static_cast<std::size_t>(b) * plane(); }
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "peers: %s\n", what.c_str());
  std::exit(1);
}

template <class Sample>
void report(const char* codec, double asked, std::size_t bytes, const cube& c, const std::vector<Sample>& decoded) {
  double worst = 0;
  double squared = 0;
  for (std::size_t i = 0; i < c.samples.size(); ++i) {
    const double e = static_cast<double>(decoded[i]) - c.samples[i];
    worst = std::max(worst, std::abs(e));
    squared += e * e;
  }
  const auto n = static_cast<double>(c.samples.size());
  std::printf("%s,%g,%.4f,%g,%.4f\n", codec, asked, 8.0 * static_cast<double>(bytes) / n, worst, squared / n);
  std::fflush(stdout);
}

/// Band by band: with all bands of a pixel as one depth, liblerc 4.0.0 wraps round near zero.
void run_lerc(const cube& c, double bound) {
  constexpr unsigned ushort_type = 3;
  std::vector<unsigned char> buffer(c.plane() * 4 + 4096);
  std::vector<std::uint16_t> decoded(c.samples.size());
  std::size_t bytes = 0;
  for (int b = 0; b < c.bands; ++b) {
    unsigned written = 0;
    if (lerc_encode(c.band(b), ushort_type, 1, c.width, c.height, 1, 0, nullptr, bound, buffer.data(),
                    static_cast<unsigned>(buffer.size()), &written) != 0) {
      fail("LERC encoder");
    }
    bytes += written;
    if (lerc_decode(buffer.data(), written, 0, nullptr, 1, c.width, c.height, 1, ushort_type,
                    decoded.data() + static_cast<std::size_t>(b) * c.plane()) != 0) {
      fail("LERC decoder");
    }
  }
  report("LERC", bound, bytes, c, decoded);
}

void run_jpeg_ls(const cube& c, int bound) {
  std::vector<std::uint16_t> decoded(c.samples.size());
  std::size_t bytes = 0;
  for (int b = 0; b < c.bands; ++b) {
    charls::jpegls_encoder encoder;
    encoder.frame_info({static_cast<std::uint32_t>(c.width), static_cast<std::uint32_t>(c.height), 16, 1});
    encoder.near_lossless(bound);
    std::vector<std::uint8_t> coded(encoder.estimated_destination_size() * 2);
    encoder.destination(coded);
    const auto written = encoder.encode(c.band(b), c.plane() * 2);
    coded.resize(written);
    bytes += written;
    charls::jpegls_decoder decoder(coded, true);
    decoder.decode(decoded.data() + static_cast<std::size_t>(b) * c.plane(), c.plane() * 2);
  }
  report("JPEG-LS", bound, bytes, c, decoded);
}

void run_zfp(const cube& c, double tolerance) {
  std::vector<float> values(c.samples.begin(), c.samples.end());
  const auto w = static_cast<std::size_t>(c.width);
  const auto h = static_cast<std::size_t>(c.height);
  zfp_field* field = zfp_field_3d(values.data(), zfp_type_float, w, h, static_cast<std::size_t>(c.bands));
  zfp_stream* stream = zfp_stream_open(nullptr);
  zfp_stream_set_accuracy(stream, tolerance);
  std::vector<unsigned char> buffer(zfp_stream_maximum_size(stream, field));
  bitstream* bits = stream_open(buffer.data(), buffer.size());
  zfp_stream_set_bit_stream(stream, bits);
  zfp_stream_rewind(stream);
  const std::size_t bytes = zfp_compress(stream, field);
  std::vector<float> decoded(values.size());
  zfp_field_set_pointer(field, decoded.data());
  zfp_stream_rewind(stream);
  if (bytes == 0 || zfp_decompress(stream, field) == 0) { fail("zfp"); }
  for (float& v : decoded) { v = std::round(v); }
  report("zfp", tolerance, bytes, c, decoded);
  zfp_field_free(field);
  zfp_stream_close(stream);
  stream_close(bits);
}

/// A file in memory for OpenJPEG.
struct memory_file {
  std::vector<unsigned char> bytes;
  std::size_t at = 0;

  opj_stream_t* open(bool reading) {
    at = 0;
    opj_stream_t* stream = opj_stream_create(1 << 16, reading ? OPJ_TRUE : OPJ_FALSE);
    opj_stream_set_user_data(stream, this, nullptr);
    opj_stream_set_user_data_length(stream, bytes.size());
    opj_stream_set_read_function(stream, [](void* to, OPJ_SIZE_T n, void* self) -> OPJ_SIZE_T {
      auto& f = *static_cast<memory_file*>(self);
      const std::size_t part = std::min<std::size_t>(n, f.bytes.size() - f.at);
      if (part == 0) { return static_cast<OPJ_SIZE_T>(-1); }
      std::memcpy(to, f.bytes.data() + f.at, part);
      f.at += part;
      return part;
    });
    opj_stream_set_write_function(stream, [](void* from, OPJ_SIZE_T n, void* self) -> OPJ_SIZE_T {
      auto& f = *static_cast<memory_file*>(self);
      if (f.at + n > f.bytes.size()) { f.bytes.resize(f.at + n); }
      std::memcpy(f.bytes.data() + f.at, from, n);
      f.at += n;
      return n;
    });
    opj_stream_set_skip_function(stream, [](OPJ_OFF_T n, void* self) -> OPJ_OFF_T {
      static_cast<memory_file*>(self)->at += static_cast<std::size_t>(n);
      return n;
    });
    opj_stream_set_seek_function(stream, [](OPJ_OFF_T n, void* self) -> OPJ_BOOL {
      static_cast<memory_file*>(self)->at = static_cast<std::size_t>(n);
      return OPJ_TRUE;
    });
    return stream;
  }
};

/// Every band a component, no transform across bands; the rate is shared among them. `ratio` is 16 over bits a sample.
void run_jpeg_2000(const cube& c, float ratio) {
  opj_cparameters_t parameters;
  opj_set_default_encoder_parameters(&parameters);
  parameters.tcp_numlayers = 1;
  parameters.tcp_rates[0] = ratio;
  parameters.cp_disto_alloc = 1;
  parameters.irreversible = ratio > 1 ? 1 : 0;
  parameters.tcp_mct = 0;
  std::vector<opj_image_cmptparm_t> components(static_cast<std::size_t>(c.bands));
  for (auto& p : components) {
    p = {};
    p.dx = p.dy = 1;
    p.w = static_cast<OPJ_UINT32>(c.width);
    p.h = static_cast<OPJ_UINT32>(c.height);
    p.prec = 16;
  }
  opj_image_t* image = opj_image_create(static_cast<OPJ_UINT32>(c.bands), components.data(), OPJ_CLRSPC_UNSPECIFIED);
  image->x1 = static_cast<OPJ_UINT32>(c.width);
  image->y1 = static_cast<OPJ_UINT32>(c.height);
  for (int b = 0; b < c.bands; ++b) { std::copy_n(c.band(b), c.plane(), image->comps[b].data); }
  memory_file file;
  opj_codec_t* encoder = opj_create_compress(OPJ_CODEC_J2K);
  opj_stream_t* stream = file.open(false);
  if (!opj_setup_encoder(encoder, &parameters, image) || !opj_start_compress(encoder, image, stream) ||
      !opj_encode(encoder, stream) || !opj_end_compress(encoder, stream)) {
    fail("OpenJPEG encoder");
  }
  opj_stream_destroy(stream);
  opj_destroy_codec(encoder);
  opj_image_destroy(image);

  opj_codec_t* decoder = opj_create_decompress(OPJ_CODEC_J2K);
  opj_dparameters_t settings;
  opj_set_default_decoder_parameters(&settings);
  stream = file.open(true);
  opj_image_t* back = nullptr;
  if (!opj_setup_decoder(decoder, &settings) || !opj_read_header(stream, decoder, &back) ||
      !opj_decode(decoder, stream, back)) {
    fail("OpenJPEG decoder");
  }
  std::vector<std::int32_t> decoded;
  for (int b = 0; b < c.bands; ++b) {
    decoded.insert(decoded.end(), back->comps[b].data, back->comps[b].data + c.plane());
  }
  opj_stream_destroy(stream);
  opj_destroy_codec(decoder);
  opj_image_destroy(back);
  report("JPEG 2000", static_cast<double>(ratio), file.bytes.size(), c, decoded);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) { fail("usage: peers WIDTH HEIGHT BANDS CUBE.raw"); }
  cube c;
  c.width = std::atoi(argv[1]);
  c.height = std::atoi(argv[2]);
  c.bands = std::atoi(argv[3]);
  std::ifstream file(argv[4], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  c.samples.resize(c.plane() * static_cast<std::size_t>(c.bands));
  if (bytes.size() != c.samples.size() * 2) { fail("the file has another size"); }
  std::memcpy(c.samples.data(), bytes.data(), bytes.size());
  for (const int bound : {0, 1, 2, 5, 10, 15, 30, 60}) {
    run_lerc(c, bound);
    run_jpeg_ls(c, bound);
    if (bound > 0) { run_zfp(c, bound * 2.0); }
  }
  for (const float ratio : {1.5f, 2.f, 3.f, 4.f, 6.f, 8.f, 12.f, 16.f}) { run_jpeg_2000(c, ratio); }
  return 0;
}
