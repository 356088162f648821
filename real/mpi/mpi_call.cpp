// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/mpi_call.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <set>

#include "base/error.hpp"
namespace epochcast::real {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  int rank = -1;
  MPI_Error_string(code, text.data(), &length);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  throw RunError("rank " + std::to_string(rank) + ": " + call + ": " +
                 std::string(text.data(), static_cast<std::size_t>(length)));
}

MpiSession::MpiSession(int* argc, char*** argv) : exceptions_(std::uncaught_exceptions()) {
  end_with_parent();
  prctl(PR_SET_TIMERSLACK, 1);  // for all threads started from here
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) {
    throw RunError("MPI_Init_thread failed; start this program with mpirun");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
  if (provided < MPI_THREAD_MULTIPLE) {
    throw RunError(
        "this MPI library was built without MPI_THREAD_MULTIPLE, which overlapping exchange and "
        "compute needs");
  }
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");  // all have attached
  memory_.unlink();
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() != exceptions_) return;
  memory_.restore_names();
  MPI_Finalize();
}

std::vector<std::string> gather_texts(const std::string& mine, int root, MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size));
  check_mpi(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, root, comm), "MPI_Gather");
  std::vector<int> begins(lengths.size(), 0);
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string all(rank == root ? static_cast<std::size_t>(begins.back() + lengths.back()) : 0, ' ');
  check_mpi(MPI_Gatherv(mine.data(),
                        length,
                        MPI_CHAR,
                        all.data(),
                        lengths.data(),
                        begins.data(),
                        MPI_CHAR,
                        root,
                        comm),
            "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t i = 0; rank == root && i < lengths.size(); ++i) {
    texts.push_back(
        all.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

std::vector<std::string> all_gather_texts(const std::string& mine, MPI_Comm comm) {
  int size = 1;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  std::vector<std::string> texts = gather_texts(mine, 0, comm);
  texts.resize(static_cast<std::size_t>(size));
  for (std::string& text : texts) text = broadcast_text(text, 0, comm);
  return texts;
}

std::string gather_different(const std::string& mine, MPI_Comm comm) {
  const std::vector<std::string> texts = gather_texts(mine, 0, comm);
  std::string all;
  for (const std::string& text : std::set<std::string>(texts.begin(), texts.end()))
    all += (all.empty() ? "" : "; ") + text;
  return all;
}

std::string broadcast_text(const std::string& text, int root, MPI_Comm comm) {
  std::uint64_t length = text.size();
  check_mpi(MPI_Bcast(&length, 1, MPI_UINT64_T, root, comm), "MPI_Bcast");
  std::string all = text;
  all.resize(length);
  constexpr std::uint64_t kMost = 1U << 30U;  // counts of MPI are ints
  for (std::uint64_t begin = 0; begin < length; begin += kMost) {
    const auto count = static_cast<int>(std::min(kMost, length - begin));
    check_mpi(MPI_Bcast(all.data() + begin, count, MPI_CHAR, root, comm), "MPI_Bcast");
  }
  return all;
}

std::string mpi_library_text() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace epochcast::real
