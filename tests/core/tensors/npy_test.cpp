// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/npy.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"
#include "tests/core/tensors/read_back.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

template <typename Number>
Floats read(const std::string& description, const std::vector<Number>& numbers) {
  const DataFolder folder;
  const std::string shape = "(" + std::to_string(numbers.size()) + ",)";
  return all_of(open_npy(folder.write("x.npy", npy(description, shape, numbers))));
}

/// The error for a file of these bytes.
std::string problem_of(const std::string& bytes) {
  const DataFolder folder;
  const std::string file = folder.write("x.npy", bytes);
  const Texts problems = problems_of([&] { static_cast<void>(open_npy(file)); });
  if (problems.empty()) return {};
  REQUIRE(problems.size() == 1);
  REQUIRE(problems[0].starts_with(file + ": "));
  return problems[0].substr(file.size() + 2);
}

constexpr const char* kDamaged =
    "has a header that is none of NumPy's; it is damaged: save it again";

TEST_CASE("every type of numbers is read as the numbers that were saved") {
  CHECK(read<std::uint8_t>("|u1", {0, 200, 255}) == Floats{0, 200, 255});
  CHECK(read<std::int8_t>("|i1", {-128, 127}) == Floats{-128, 127});
  CHECK(read<std::uint8_t>("|b1", {0, 1}) == Floats{0, 1});
  CHECK(read<std::uint16_t>("<u2", {65535, 1}) == Floats{65535, 1});
  CHECK(read<std::int16_t>("<i2", {-2, 300}) == Floats{-2, 300});
  CHECK(read<std::uint32_t>("<u4", {1U << 31}) == Floats{2147483648.0F});
  CHECK(read<std::int32_t>("<i4", {-70000}) == Floats{-70000});
  CHECK(read<std::int64_t>("<i8", {-1, 1 << 20}) == Floats{-1, 1 << 20});
  CHECK(read<float>("<f4", {0.1F, -3}) == Floats{0.1F, -3});
  CHECK(read<double>("<f8", {0.1, -3}) == Floats{0.1F, -3});
}

TEST_CASE("half precision is read with its subnormal and infinite numbers") {
  const Tensor tensor = open_npy(real_file("half.npy"));

  CHECK(tensor.shape() == Shape{2, 3});
  CHECK(tensor.type() == ElementType::float16);
  const Floats numbers = all_of(tensor);
  CHECK(numbers[0] == 0.5F);
  CHECK(numbers[1] == -2);
  CHECK(numbers[2] == 65504);
  CHECK(numbers[3] == std::ldexp(1.0F, -24));  // 6e-8, rounded to the smallest one
  CHECK(numbers[4] == std::numeric_limits<float>::infinity());
  CHECK(numbers[5] == 0);
  CHECK(std::isnan(read<std::uint16_t>("<f2", {0x7e00})[0]));
}

TEST_CASE("headers of all three versions are read, in any order and with Python 2's long sizes") {
  const std::string numbers = bytes_of<float>({1, 2, 3, 4, 5, 6});
  for (const char version : {'\1', '\2', '\3'}) {
    const DataFolder folder;
    const std::string header = "{ \"shape\":(2L, 3L), 'fortran_order': False,'descr':'<f4'}";
    const Tensor tensor = open_npy(folder.write("x.npy", npy_with(header, version) + numbers));
    CHECK(tensor.shape() == Shape{2, 3});
    CHECK(all_of(tensor) == Floats{1, 2, 3, 4, 5, 6});
  }
  CHECK(problem_of(npy_with(npy_header("<f4", "(6,)"), 4) + numbers) ==
        "is of NumPy's format 4.0; expected 1.0 to 3.0");
}

TEST_CASE("a part of a tensor can begin at any element") {
  const DataFolder folder;
  const Tensor tensor =
      open_npy(folder.write("x.npy", npy<std::int16_t>("<i2", "(4,)", {5, 6, 7, 8})));
  Floats two(2);

  tensor.read(2, two);

  CHECK(two == Floats{7, 8});
  CHECK(tensor.integer(1) == 6);
  CHECK(tensor.range().least == 5);
  CHECK(tensor.range().greatest == 8);
}

TEST_CASE("arrays of Python objects are refused as pickles") {
  const Texts problems = problems_of([] { static_cast<void>(open_npy(real_file("objects.npy"))); });

  CHECK(problems ==
        Texts{real_file("objects.npy") +
              ": holds Python objects, which are pickles: those may run anything, and are not "
              "read; expected numbers (save array.astype(\"float32\"), or a list of arrays one by "
              "one)"});
  CHECK_FALSE(std::filesystem::exists("epochcast-was-here"));
}

TEST_CASE("arrays in other byte orders, layouts or types are refused with advice") {
  const std::string expected =
      "; expected numbers: bool, int8 to int64, uint8 to uint32, float16 to float64 (save "
      "array.astype(\"float32\"))";
  CHECK(problems_of([] { static_cast<void>(open_npy(real_file("columns.npy"))); }) ==
        Texts{real_file("columns.npy") +
              ": is stored column by column (Fortran order); save np.ascontiguousarray(array)"});
  CHECK(problems_of([] { static_cast<void>(open_npy(real_file("several.npz"))); }) ==
        Texts{real_file("several.npz") +
              ": is an archive of arrays (np.savez); save each by np.save"});
  CHECK(problem_of(npy<float>(">f4", "(1,)", {1})) ==
        "holds \">f4\", big-endian numbers; save array.astype(\"<f4\")");
  CHECK(problem_of(npy<double>("<c8", "(1,)", {1})) == "holds \"<c8\"" + expected);
  CHECK(problem_of(npy<double>("<u8", "(1,)", {1})) == "holds \"<u8\"" + expected);
  CHECK(problem_of(npy_with("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}")) ==
        "holds records of several fields; expected numbers: save the fields one by one, as "
        "array[\"FIELD\"]");
  CHECK(problem_of("hello, this is no array") ==
        "is no file of NumPy's; expected one of np.save(FILE, array)");
  CHECK(problem_of("") == "is no file of NumPy's; expected one of np.save(FILE, array)");
}

TEST_CASE("sizes that no file can have are refused, and so is a file that ends early or late") {
  const std::string huge = "4611686018427387904";
  const auto bytes_wrong = [](const std::string& bytes, const std::string& shape) {
    return "has " + bytes + " bytes of numbers; expected " + shape +
           " of float32: it is damaged, or was not written to its end";
  };
  CHECK(problem_of(npy<float>("<f4", "(2, 2)", {1, 2, 3})) == bytes_wrong("12", "2x2"));
  CHECK(problem_of(npy<float>("<f4", "(2,)", {1, 2, 3})) == bytes_wrong("12", "2"));
  CHECK(problem_of(npy<float>("<f4", "(2,)", {1, 2}) + "x") == bytes_wrong("9", "2"));
  // 2^62 x 4 and 2^62 x 2^62 are 0 modulo 2^64, and so are 2^62 numbers of four bytes.
  CHECK(problem_of(npy<float>("<f4", "(" + huge + ", 4)", {})) == bytes_wrong("0", huge + "x4"));
  CHECK(problem_of(npy<float>("<f4", "(" + huge + ",)", {})) == bytes_wrong("0", huge));
  CHECK(problem_of(npy<float>("<f4", "(" + huge + ", " + huge + ")", {})) ==
        bytes_wrong("0", huge + "x" + huge));
  CHECK(problem_of(npy<float>("<f4", "(9223372036854775808,)", {})) == kDamaged);
  CHECK(problem_of(npy<float>("<f4", "(-1,)", {})) == kDamaged);
}

TEST_CASE("a header that is not written as NumPy writes it is refused") {
  for (const char* header :
       {"",
        "{",
        "{}",
        "[]",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': 'f', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '\x1b[2J', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': __import__('os').system('ls'), 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}"}) {
    CAPTURE(header);
    const std::string problem = problem_of(npy_with(header) + bytes_of<float>({1}));
    CHECK((problem == kDamaged || problem.starts_with("holds \"")));
  }
}

TEST_CASE("a truncated NumPy file is refused") {
  const std::string whole = npy<float>("<f4", "(2, 1)", {1, 2});
  REQUIRE(problem_of(whole).empty());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(problem_of(whole.substr(0, length)).empty());
  }
}

}  // namespace
}  // namespace epochcast::tests
