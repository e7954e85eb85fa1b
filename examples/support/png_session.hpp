/// @file
/// libpng's state and its way of reporting errors. Internal to the PNG reader and writer.
#pragma once

#include <array>
#include <csetjmp>
#include <exception>
#include <png.h>
#include <string>

namespace gpuimg::examples::detail {

/// Calls into libpng, which leaves a failed call by longjmp. Only plain libpng calls run between the setjmp and the
/// longjmp: no object with a destructor lives there, and exceptions of our callbacks wait until the jump is over.
/// Warnings are dropped; nothing is printed.
class png_session {
 public:
  enum class direction { read, write };

  /// @throws error out_of_memory.
  explicit png_session(direction way);
  ~png_session();
  png_session(const png_session&) = delete;
  png_session& operator=(const png_session&) = delete;

  png_structp png() const noexcept { return png_; }
  png_infop info() const noexcept { return info_; }

  /// Runs `call`, which must do nothing but call libpng and assign plain values.
  /// @returns false when libpng has failed: message() then says why, and the session is of no more use.
  /// @throws what a callback threw
  template <class Call>
  bool run(const Call& call) {
    if (setjmp(png_jmpbuf(png_)) != 0) {
      if (pending_) std::rethrow_exception(pending_);
      return false;
    }
    call(png_, info_);
    return true;
  }

  /// Runs the body of a callback. @returns false when it has thrown.
  template <class Body>
  bool guard(const Body& body) noexcept {
    try {
      body();
      return true;
    } catch (...) {
      pending_ = std::current_exception();
      return false;
    }
  }

  std::string message() const { return text_.data(); }

 private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp text);
  static void on_warning(png_structp png, png_const_charp text);

  direction direction_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::exception_ptr pending_;
  std::array<char, 200> text_{};
};

}  // namespace gpuimg::examples::detail
