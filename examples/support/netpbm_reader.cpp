#include <bit>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "picture_codecs.hpp"
#include "sample_packing.hpp"

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples::detail {

namespace {

constexpr std::int64_t largest_side = std::int64_t{1} << 40;
constexpr std::int64_t largest_maxval = 65535;

bool is_space(int c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(int c) noexcept { return c >= '0' && c <= '9'; }

class netpbm_reader final : public picture_reader {
 public:
  netpbm_reader(input_file file, const read_limits& limits) : file_(std::move(file)), limits_(limits) {}

  void open_pnm() {
    file_.get();
    const int type = file_.get() - '0';
    plain_ = type <= 3;
    constexpr std::array kinds{file_kind::pbm, file_kind::pgm, file_kind::ppm};
    kind_ = kinds[static_cast<std::size_t>((type - 1) % 3)];
    format_.components = kind_ == file_kind::ppm ? 3 : 1;
    if (const int c = next(); !is_space(c)) fail("no white space after P" + std::to_string(type));
    format_.width = number("width", largest_side);
    format_.height = number("height", largest_side);
    set_maxval(kind_ == file_kind::pbm ? 1 : number("maxval", largest_maxval));
    begin();
  }

  void open_pam() {
    kind_ = file_kind::pam;
    file_.get();
    file_.get();
    if (file_.get() != '\n') fail("no line feed after P7");
    std::int64_t components = 0;
    std::int64_t maxval = 0;
    std::string type;
    for (std::string line = header_line(); line != "ENDHDR"; line = header_line()) {
      const auto space = line.find_first_of(" \t");
      const std::string key = line.substr(0, space);
      const std::string value = space == std::string::npos ? "" : line.substr(line.find_first_not_of(" \t", space));
      if (key == "WIDTH") {
        format_.width = field(key, value, largest_side);
      } else if (key == "HEIGHT") {
        format_.height = field(key, value, largest_side);
      } else if (key == "DEPTH") {
        components = field(key, value, 65535);
      } else if (key == "MAXVAL") {
        maxval = field(key, value, largest_maxval);
      } else if (key == "TUPLTYPE") {
        type += (type.empty() ? "" : " ") + value;
      } else if (!key.empty()) {
        fail("unknown header line " + key);
      }
    }
    for (const auto& [key, value] : {std::pair{"WIDTH", format_.width}, std::pair{"HEIGHT", format_.height},
                                     std::pair{"DEPTH", components}, std::pair{"MAXVAL", maxval}}) {
      if (value == 0) fail("the header has no " + std::string(key));
    }
    format_.components = static_cast<int>(components);
    format_.has_alpha = format_.components > 1 && type.ends_with("_ALPHA");
    set_maxval(maxval);
    begin();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw error(errc::corrupt, file_.name() + ": " + what, file_.position());
  }

  [[noreturn]] void fail_at_end(const char* where) const {
    throw error(errc::truncated, file_.name() + " ends inside " + where, file_.position());
  }

  /// The next character, a comment counting as the line feed that ends it.
  int next() {
    int c = file_.get();
    if (c == '#') {
      do { c = file_.get(); } while (c != '\n' && c != '\r' && c >= 0);
    }
    return c;
  }

  /// A decimal number and the one white space after it.
  std::int64_t number(const char* what, std::int64_t largest) {
    int c = next();
    while (is_space(c)) c = next();
    if (c < 0) fail_at_end(what);
    if (!is_digit(c)) fail(std::string(what) + " is not a number");
    std::int64_t value = 0;
    while (is_digit(c)) {
      value = value * 10 + (c - '0');
      if (value > largest) fail(std::string(what) + " is above " + std::to_string(largest));
      c = next();
    }
    if (c >= 0 && !is_space(c)) fail("no white space after " + std::string(what));
    return value;
  }

  std::string header_line() {
    constexpr std::size_t longest = 4096;
    std::string line;
    for (int c = file_.get(); c != '\n'; c = file_.get()) {
      if (c < 0) fail_at_end("the header");
      if (line.size() == longest) fail("a header line is longer than " + std::to_string(longest) + " bytes");
      line += static_cast<char>(c);
    }
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') return {};
    return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
  }

  std::int64_t field(const std::string& key, const std::string& text, std::int64_t largest) const {
    std::int64_t value = 0;
    for (const char c : text) {
      if (!is_digit(c)) fail(key + " is not a number");
      value = value * 10 + (c - '0');
      if (value > largest) fail(key + " is above " + std::to_string(largest));
    }
    if (value == 0) fail(key + " is missing or 0");
    return value;
  }

  void set_maxval(std::int64_t maxval) {
    if (maxval < 1) fail("maxval is 0");
    const auto value = static_cast<std::uint32_t>(maxval);
    format_.depth = static_cast<int>(std::bit_width(value));
    format_.maxval = value == low_bits(format_.depth) ? 0 : value;
  }

  void begin() {
    check_size(file_.name(), format_, limits_);
    rows_left_ = format_.height;
    if (kind_ == file_kind::pbm) packed_.resize(plain_ ? 0 : static_cast<std::size_t>((format_.width + 7) / 8));
    // A plain sample takes a digit, and but for bitmaps a white space before it.
    const std::int64_t fewest = kind_ == file_kind::pbm ? (plain_ ? format_.width : (format_.width + 7) / 8)
                                : plain_                ? 2 * format_.samples_per_row()
                                                        : format_.bytes_per_row();
    const std::uint64_t left = file_.size() ? *file_.size() - std::min(file_.position(), *file_.size()) : ~0ULL;
    if (static_cast<std::uint64_t>(format_.height) > (left + 1) / static_cast<std::uint64_t>(fewest) && left != ~0ULL) {
      throw error(errc::truncated,
                  file_.name() + ": " + std::to_string(format_.height) + " rows of at least " + std::to_string(fewest) +
                      " bytes do not fit into the " + std::to_string(left) + " bytes after the header",
                  file_.position());
    }
  }

  void read_row(std::byte* row) override {
    if (plain_) return read_plain_row(row);
    if (kind_ == file_kind::pbm) {
      file_.read_exactly(packed_);
      unpack_bits(packed_.data(), format_.width, 1, false, 1, row);
      for (std::int64_t x = 0; x < format_.width; ++x) row[x] ^= std::byte{1};
      return;
    }
    file_.read_exactly({row, static_cast<std::size_t>(format_.bytes_per_row())});
    if (format_.bytes_per_sample() == 2) swap_to_big_endian(row, format_.samples_per_row());
    const std::int64_t bad =
        first_outside(row, format_.samples_per_row(), format_.bytes_per_sample(), format_.depth, false, format_.maxval);
    if (bad < format_.samples_per_row()) {
      fail("sample " + std::to_string(load_sample(row, bad, format_.bytes_per_sample())) + " is above the maxval " +
           std::to_string(largest()));
    }
  }

  void read_plain_row(std::byte* row) {
    for (std::int64_t i = 0; i < format_.samples_per_row(); ++i) {
      const std::int64_t value = kind_ == file_kind::pbm ? plain_bit() : number("a sample", largest());
      store_sample(row, i, format_.bytes_per_sample(), static_cast<std::uint32_t>(value));
    }
  }

  /// Digits of a plain bitmap need no space between them.
  std::int64_t plain_bit() {
    int c = next();
    while (is_space(c)) c = next();
    if (c < 0) fail_at_end("a row");
    if (c != '0' && c != '1') fail("a sample of a bitmap is neither 0 nor 1");
    return c == '0' ? 1 : 0;
  }

  std::int64_t largest() const noexcept { return format_.maxval != 0 ? format_.maxval : low_bits(format_.depth); }

  input_file file_;
  read_limits limits_;
  bool plain_ = false;
  std::vector<std::byte> packed_;
};

}  // namespace

std::unique_ptr<picture_reader> open_pnm(input_file file, const read_limits& limits) {
  auto reader = std::make_unique<netpbm_reader>(std::move(file), limits);
  reader->open_pnm();
  return reader;
}

std::unique_ptr<picture_reader> open_pam(input_file file, const read_limits& limits) {
  auto reader = std::make_unique<netpbm_reader>(std::move(file), limits);
  reader->open_pam();
  return reader;
}

}  // namespace gpuimg::examples::detail
