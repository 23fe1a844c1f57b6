// A coroutine that counts the words of many pages side by side and adds the numbers up.
#include <muster/workflow.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace workflow = muster::sdk::workflow;
using namespace std::chrono_literals;

int words_of(const std::string& page) {
  std::istringstream in(page);
  int count = 0;
  for (std::string word; in >> word;) ++count;
  return count;
}

workflow::Task<int> count_words(workflow::Context& context, std::vector<std::string> pages) {
  std::vector<workflow::Task<int>> counts;
  for (const std::string& page : pages) counts.push_back(context.async_step("count", [page] { return words_of(page); }));
  int total = 0;
  for (const int count : co_await workflow::when_all(std::move(counts))) total += count;
  co_await context.async_sleep("settle", 50ms);
  co_return co_await context.async_step("sum", [total] { return total; });
}

int main() {
  const char* configured = std::getenv("MUSTER_ADDRESS");
  const std::string address = configured != nullptr ? configured : "127.0.0.1:50051";

  auto worker = workflow::Worker::builder(address, "words").step_threads(8).build();
  if (!worker.ok()) return std::fprintf(stderr, "%s\n", worker.error().text().c_str()), 1;
  worker->register_workflow("count_words", count_words);
  if (auto begun = worker->start(); !begun.ok()) return std::fprintf(stderr, "%s\n", begun.error().text().c_str()), 1;

  auto client = workflow::Client::open({.address = address}, "words");
  if (!client.ok()) return std::fprintf(stderr, "%s\n", client.error().text().c_str()), 1;
  std::vector<std::string> pages;
  for (int page = 1; page <= 20; ++page) {
    std::string text;
    for (int word = 0; word < page; ++word) text += "word ";
    pages.push_back(text);
  }
  auto run = client->start("count_words", pages);
  if (!run.ok()) return std::fprintf(stderr, "%s\n", run.error().text().c_str()), 1;
  const auto total = run->result<int>(30s);
  if (!total.ok()) return std::fprintf(stderr, "%s\n", total.error().text().c_str()), 1;
  std::printf("%d words on %zu pages\n", *total, pages.size());
  return *total == 210 ? 0 : 1;
}
