// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/pickle.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using namespace std::string_literals;

/// Opcodes of a text (BINUNICODE).
std::string text(const std::string& value) {
  return "X"s + static_cast<char>(value.size()) + "\0\0\0"s + value;
}

/// A tensor [2, 3] in torch.save()'s pickle, with the numbers of record "7" from the first on.
const std::string kTensor = "ctorch._utils\n_rebuild_tensor_v2\n("s +                      //
                            "(" + text("storage") + "ctorch\nHalfStorage\n" + text("7") +  //
                            text("cpu") + "K\x06tQ"s +                                     //
                            "K\x01K\x02K\x03\x86K\x03K\x01\x86\x89" +
                            "ccollections\nOrderedDict\n)RtR";

std::string message_of(const std::string& pickle) {
  try {
    static_cast<void>(read_pickled_dictionary(pickle));
  } catch (const PickleError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("a dictionary's members are tensors, or reported as something else") {
  const auto members = read_pickled_dictionary(
      "\x80\x02}(" + text("weight") + kTensor + text("epoch") + "K\x05" + text("none") + "N" +
      text("list") + "]K\x01" + "a" + text("inner") + "}" + text("weight") + kTensor + "s" +
      text("call") + "cos\nsystem\n" + text("ls") + "\x85R" + text("made") + "czoo\nLion\n)\x81}b" +
      "u.");

  REQUIRE(members.size() == 7);
  REQUIRE(members[0].tensor);
  CHECK(members[0].name == "weight");
  CHECK(members[0].tensor->record == "7");
  CHECK(members[0].tensor->storage_type == "HalfStorage");
  CHECK(members[0].tensor->offset == 1);
  CHECK(members[0].tensor->shape == std::vector<std::int64_t>{2, 3});
  CHECK(members[0].tensor->strides == std::vector<std::int64_t>{3, 1});
  for (std::size_t i = 1; i < members.size(); ++i) CHECK_FALSE(members[i].tensor);
  CHECK(members[1].kind == "a number");
  CHECK(members[2].kind == "None");
  CHECK(members[3].kind == "a list");
  CHECK(members[4].kind == "a dictionary");
  CHECK(members[4].holds_tensors);
  CHECK(members[5].kind == "a os.system");
  CHECK(members[6].kind == "a zoo.Lion");
}

TEST_CASE("numbers of all lengths are read, negative ones too") {
  const auto offset_of = [](const std::string& number) {
    const std::string tensor = "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") +
                               "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\x01tQ" +
                               number + "))\x89NtR";
    return read_pickled_dictionary("}" + text("w") + tensor + "s.").at(0).tensor->offset;
  };

  CHECK(offset_of("K\xff") == 255);
  CHECK(offset_of("M\x01\x02"s) == 0x201);
  CHECK(offset_of("J\xfe\xff\xff\xff"s) == -2);
  CHECK(offset_of("\x8a\x05\0\0\0\0\x01"s) == 0x100000000);
  CHECK(offset_of("\x8a\x01\x80"s) == -128);
  CHECK(offset_of("\x8a\0"s) == 0);
}

TEST_CASE("a pickle of another type is refused with its type") {
  CHECK(message_of("\x80\x02K\x01.") == "a number");
  CHECK(message_of("\x80\x02" + text("x") + ".") == "a text");
  CHECK(message_of("czoo\nLion\n)\x81.") == "a zoo.Lion");
  CHECK(message_of(kTensor + ".") == "a tensor");
}

TEST_CASE("an invalid pickle is refused, and none of its code is called") {
  CHECK(message_of("") == "its pickle ends too early");
  CHECK(message_of("}") == "its pickle ends too early");
  CHECK(message_of("X\xff\xff\xff\xff") == "its pickle ends too early");
  CHECK(message_of("czoo") == "its pickle ends too early");
  CHECK(message_of(".") == "its pickle lacks a value");
  CHECK(message_of("}K\x01(s.") == "its pickle lacks a value");
  CHECK(message_of("h\x05.") == "its pickle lacks a value");
  CHECK(message_of("}u.") == "its pickle lacks a mark");
  CHECK(message_of("}(K\x01u.") == "its pickle adds members to a dictionary");
  CHECK(message_of("}K\x01"s + "a.") == "its pickle adds members to a dictionary");
  CHECK(message_of("i.") ==
        "its pickle has the opcode 105 at byte 0, which tensors have no need of");
  const std::string rebuild = "ctorch._utils\n_rebuild_tensor_v2\n";
  CHECK(message_of(rebuild + ")R.") == "a tensor of it has no storage");
  CHECK(message_of(rebuild + "(K\x01K\x01))tR.") == "a tensor of it has no storage");
}

TEST_CASE("a truncated pickle is refused") {
  const std::string whole = "\x80\x02}(" + text("weight") + kTensor + "u.";
  REQUIRE(message_of(whole).empty());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(message_of(whole.substr(0, length)).empty());
  }
}

}  // namespace
}  // namespace epochcast::tests
