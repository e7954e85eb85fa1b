#include "npy_header.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

#include "gpuimg/core/byte_order.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {
namespace {

constexpr char npy_magic[] = "\x93NUMPY";
constexpr std::size_t magic_bytes = 6;

/// What follows `'key':` in the dictionary.
std::string_view after_key(std::string_view text, std::string_view key, const std::string& file) {
  const std::size_t at = text.find(std::string(1, '\'').append(key).append(1, '\''));
  const std::size_t colon = at == std::string_view::npos ? at : text.find(':', at);
  if (colon == std::string_view::npos) {
    throw error(errc::corrupt, file + ": the .npy header has no " + std::string(key));
  }
  text.remove_prefix(colon + 1);
  while (text.starts_with(' ')) { text.remove_prefix(1); }
  return text;
}

std::vector<std::int64_t> shape_of(std::string_view text, const std::string& file) {
  std::vector<std::int64_t> shape;
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    throw error(errc::corrupt, file + ": the shape in the .npy header is not a tuple");
  }
  text = text.substr(1, end - 1);
  while (!text.empty()) {
    std::int64_t value = 0;
    while (text.starts_with(' ') || text.starts_with(',')) { text.remove_prefix(1); }
    if (text.empty()) { break; }
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || value < 0) { throw error(errc::corrupt, file + ": the shape in the .npy header"); }
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    shape.push_back(value);
  }
  return shape;
}

}  // namespace

cube_layout read_npy_header(input_file& file, interleave order) {
  std::array<std::byte, magic_bytes + 2> start;
  file.read_exactly(start);
  if (std::memcmp(start.data(), npy_magic, magic_bytes) != 0) {
    throw error(errc::corrupt, file.name() + " is not a .npy file");
  }
  const auto major = std::to_integer<int>(start[magic_bytes]);
  if (major < 1 || major > 3) {
    throw error(errc::unsupported, file.name() + ": .npy version " + std::to_string(major));
  }
  std::array<std::byte, 4> length{};
  file.read_exactly(std::span(length).first(major == 1 ? 2 : 4));
  const auto size = load_little<std::uint32_t>(length.data());
  if (size > 1 << 20) {
    throw error(errc::corrupt, file.name() + ": a .npy header of " + std::to_string(size) + " bytes");
  }
  std::string text(size, '\0');
  file.read_exactly(std::as_writable_bytes(std::span(text)));

  cube_layout layout;
  layout.order = order;
  layout.offset = file.position();
  const auto type = after_key(text, "descr", file.name());
  if (type.starts_with("'|u1'") || type.starts_with("'u1'")) {
    layout.type = lce::sample_type::u8;
  } else if (type.substr(2).starts_with("u2'") || type.substr(2).starts_with("i2'")) {
    layout.type = type[2] == 'u' ? lce::sample_type::u16 : lce::sample_type::i16;
    layout.big_endian = type[1] == '>';
  } else {
    throw error(errc::unsupported,
                file.name() + ": samples of type " + std::string(type.substr(0, 6)) + "; u1, u2 and i2 are coded");
  }
  if (!after_key(text, "fortran_order", file.name()).starts_with("False")) {
    throw error(errc::unsupported, file.name() + ": Fortran order");
  }
  auto shape = shape_of(after_key(text, "shape", file.name()), file.name());
  if (shape.size() == 2) {
    shape.insert(order == interleave::bsq   ? shape.begin()
                 : order == interleave::bil ? shape.begin() + 1
                                            : shape.end(),
                 1);
  }
  if (shape.size() != 3) {
    throw error(errc::unsupported, file.name() + ": " + std::to_string(shape.size()) + " axes; a cube has 3");
  }
  constexpr std::size_t places[3][3] = {{2, 1, 0}, {2, 0, 1}, {1, 0, 2}};  // of samples, lines, bands
  const auto& place = places[static_cast<std::size_t>(order)];
  layout.width = shape[place[0]];
  layout.height = shape[place[1]];
  layout.bands = shape[place[2]];
  return layout;
}

std::vector<std::byte> write_npy_header(const cube_layout& layout) {
  const std::string w = std::to_string(layout.width);
  const std::string h = std::to_string(layout.height);
  const std::string b = std::to_string(layout.bands);
  const std::string shape = layout.order == interleave::bsq   ? b + ", " + h + ", " + w
                            : layout.order == interleave::bil ? h + ", " + b + ", " + w
                                                              : h + ", " + w + ", " + b;
  const char* type = layout.type == lce::sample_type::u8 ? "|u1" : layout.type == lce::sample_type::u16 ? "<u2" : "<i2";
  std::string text = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  const std::size_t whole = (magic_bytes + 4 + text.size() + 1 + 63) / 64 * 64;
  text.append(whole - magic_bytes - 4 - text.size() - 1, ' ');
  text += '\n';
  std::vector<std::byte> bytes(whole);
  std::memcpy(bytes.data(), npy_magic, magic_bytes);
  bytes[magic_bytes] = std::byte{1};
  store_little(bytes.data() + magic_bytes + 2, static_cast<std::uint16_t>(text.size()));
  std::memcpy(bytes.data() + magic_bytes + 4, text.data(), text.size());
  return bytes;
}

}  // namespace gpuimg::examples
