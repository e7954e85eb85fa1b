// Files and pipes as inputs, and outputs that appear whole or not at all.
#include "support/byte_file.hpp"

#include <cstdio>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tests/examples/picture_fixtures.hpp"

#include "gpuimg/core/error.hpp"

using namespace gpuimg;
using namespace gpuimg::examples;
using namespace gpuimg::examples::test;

namespace {

bytes to_bytes(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

std::string to_text(std::span<const std::byte> view) {
  return {reinterpret_cast<const char*>(view.data()), view.size()};
}

/// A named pipe, with a thread that writes to it or reads from it.
class named_pipe {
 public:
  explicit named_pipe(const temporary_folder& folder) : path(folder.file("pipe")) {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  }
  ~named_pipe() {
    if (thread_.joinable()) thread_.join();
  }
  named_pipe(const named_pipe&) = delete;
  named_pipe& operator=(const named_pipe&) = delete;

  void feed(bytes contents) {
    thread_ = std::thread([this, contents = std::move(contents)] { write_file(path, contents); });
  }
  void drain() {
    thread_ = std::thread([this] { drained_ = read_file(path); });
  }
  const bytes& drained() {
    thread_.join();
    return drained_;
  }

  const std::string path;

 private:
  std::thread thread_;
  bytes drained_;
};

/// Replaces a standard stream's descriptor by a file while it lives.
class redirected {
 public:
  redirected(std::FILE* stream, const std::string& path, int flags)
      : stream_(stream), saved_(dup(fileno(stream))), file_(open(path.c_str(), flags, 0600)) {
    std::fflush(stream_);
    dup2(file_, fileno(stream_));
    if (stream == stdin) std::rewind(stream);
  }
  ~redirected() {
    std::fflush(stream_);
    dup2(saved_, fileno(stream_));
    close(saved_);
    close(file_);
  }
  redirected(const redirected&) = delete;
  redirected& operator=(const redirected&) = delete;

 private:
  std::FILE* stream_;
  int saved_;
  int file_;
};

}  // namespace

TEST_SUITE("byte files") {
  TEST_CASE("peek leaves bytes in place, seek drops them") {
    const temporary_folder folder;
    write_file(folder.file("in"), "0123456789");
    input_file file(folder.file("in"));
    CHECK(file.seekable());
    CHECK(file.size() == 10);
    CHECK(to_text(file.peek(4)) == "0123");
    CHECK(file.position() == 0);
    CHECK(file.get() == '0');
    CHECK(to_text(file.peek(2)) == "12");
    bytes part(5);
    file.read_exactly(part);
    CHECK(to_text(part) == "12345");
    CHECK(file.position() == 6);
    file.seek(8);
    CHECK(to_text(file.peek(100)) == "89");
    CHECK(to_text(file.read_all(2)) == "89");
    CHECK(file.get() == -1);
    file.seek(100);
    CHECK(file.read(part) == 0);
    file.seek(7);
    try {
      file.read_exactly(part);
      FAIL("no error");
    } catch (const error& caught) {
      CHECK(caught.code() == errc::truncated);
      CHECK(caught.offset() == 10);
    }
    file.seek(0);
    CHECK_THROWS_AS(file.read_all(9), error);
    CHECK_THROWS_AS(file.peek(4097), error);
  }

  TEST_CASE("what cannot be opened is named") {
    const temporary_folder folder;
    CHECK_THROWS_WITH_AS(input_file(folder.file("none")), doctest::Contains("none"), error);
    CHECK_THROWS_WITH_AS(input_file(folder.file("")), doctest::Contains("directory"), error);
    CHECK_THROWS_WITH_AS(atomic_output_file(folder.file("no/such")), doctest::Contains("such"), error);
    CHECK_THROWS_AS(atomic_output_file(folder.file("")), error);
  }

  TEST_CASE("a pipe is read forward, and from a copy in any order") {
    const temporary_folder folder;
    named_pipe pipe(folder);
    pipe.feed(to_bytes("0123456789"));
    input_file file(pipe.path);
    CHECK_FALSE(file.seekable());
    CHECK_FALSE(file.size());
    CHECK(file.get() == '0');
    CHECK(to_text(file.peek(2)) == "12");
    CHECK_THROWS_AS(file.seek(0), error);
    file.make_seekable();
    CHECK(file.size() == 9);
    CHECK(to_text(file.read_all(100)) == "123456789");
    file.seek(4);
    CHECK(file.get() == '5');
  }

  TEST_CASE("an output appears with commit, and replaces what was there then only") {
    const temporary_folder folder;
    const std::string path = folder.file("out");
    write_file(path, "old");
    {
      atomic_output_file file(path);
      file.write("new and longer");
      CHECK(to_text(read_file(path)) == "old");
      CHECK(folder.entries() == 2);
    }
    CHECK(to_text(read_file(path)) == "old");
    CHECK(folder.entries() == 1);
    atomic_output_file file(path);
    atomic_output_file rival(path);
    file.write("0123456789");
    file.seek(2);
    file.write("ab");
    bytes part(3);
    CHECK(file.read(part) == 3);
    CHECK(to_text(part) == "456");
    CHECK(file.position() == 7);
    file.write("c");
    CHECK(file.size() == 10);
    CHECK(to_text(read_file(path)) == "old");
    file.commit();
    CHECK(to_text(read_file(path)) == "01ab456c89");
    CHECK_THROWS_AS(file.commit(), error);
    rival.commit();
    CHECK(read_file(path).empty());
    CHECK(folder.entries() == 1);
  }

  TEST_CASE("a symbolic link stays one") {
    const temporary_folder folder;
    std::filesystem::create_symlink("target", folder.file("link"));
    for (const char* text : {"first", "second"}) {
      atomic_output_file file(folder.file("link"));
      file.write(text);
      file.commit();
      CHECK(std::filesystem::is_symlink(folder.file("link")));
      CHECK(to_text(read_file(folder.file("target"))) == text);
    }
  }

  TEST_CASE("a device is written to and not replaced") {
    atomic_output_file file("/dev/null");
    CHECK_FALSE(file.seekable());
    file.write("nothing");
    file.commit();
    CHECK(std::filesystem::is_character_file("/dev/null"));
  }

  TEST_CASE("a full device is an error") {
    if (!std::filesystem::exists("/dev/full")) return;
    atomic_output_file file("/dev/full");
    const auto fill = [&] {
      file.write("text");
      file.commit();
    };
    CHECK_THROWS_WITH_AS(fill(), doctest::Contains("/dev/full"), error);
  }

  TEST_CASE("a pipe as output, directly and by way of a temporary file") {
    const temporary_folder folder;
    for (const bool by_copy : {false, true}) {
      named_pipe pipe(folder);
      pipe.drain();
      atomic_output_file file(pipe.path);
      if (by_copy) file.make_seekable();
      file.write("0123");
      CHECK(file.seekable() == by_copy);
      if (by_copy) file.seek(1);
      file.write("xy");
      if (!by_copy) CHECK_THROWS_AS(file.make_seekable(), error);
      file.commit();
      CHECK(to_text(pipe.drained()) == (by_copy ? "0xy3" : "0123xy"));
      std::filesystem::remove(pipe.path);
    }
  }

  TEST_CASE("pictures of every kind go through pipes") {
    const temporary_folder folder;
    for (const file_kind kind : {file_kind::png, file_kind::pam, file_kind::ppm, file_kind::tiff}) {
      CAPTURE(name(kind));
      const picture source = random_picture({.width = 61, .height = 47, .components = 3, .depth = 8});
      bytes file;
      {
        named_pipe pipe(folder);
        pipe.drain();
        write_picture(pipe.path, source, kind);
        file = pipe.drained();
        std::filesystem::remove(pipe.path);
      }
      named_pipe pipe(folder);
      pipe.feed(file);
      CHECK(read_picture(pipe.path) == source);
      std::filesystem::remove(pipe.path);
    }
  }

  TEST_CASE("- is the standard input and output; the kind follows the samples") {
    const temporary_folder folder;
    const std::string path = folder.file("standard");
    picture_format grey{.width = 5, .height = 3, .components = 1, .depth = 1};
    picture_format signed_grey = grey;
    signed_grey.is_signed = true;
    picture_format four = grey;
    four.components = 4;
    const std::pair<picture_format, file_kind> cases[] = {
        {grey, file_kind::pbm}, {four, file_kind::pam}, {signed_grey, file_kind::tiff}};
    for (const auto& item : cases) {
      const auto& format = item.first;
      const file_kind kind = item.second;
      CAPTURE(name(kind));
      const picture source = random_picture(format);
      {
        const redirected output(stdout, path, O_WRONLY | O_CREAT | O_TRUNC);
        write_picture("-", source);
      }
      CHECK(read_picture(path).samples == source.samples);
      CHECK(picture_reader::open(path)->kind() == kind);
      const redirected input(stdin, path, O_RDONLY);
      CHECK(read_picture("-").samples == source.samples);
    }
  }
}
