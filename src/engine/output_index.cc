#include "engine/output_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/utf8.h"

namespace muster::engine {
namespace {

using json::Tree;

std::string output_key_of(JobId job, std::string_view part) { return fmt::format("job:{}:{}", job.value.hex(), part); }

std::string text_member(const Tree& object, const char* name) {
  const std::string* found = json::text(object, name);
  return found == nullptr ? std::string() : *found;
}

// A JSON value within a document of ours, as text again.
std::string dumped_member(const Tree& object, const char* name) {
  const Tree* found = json::member(object, name);
  return found == nullptr ? std::string() : json::dump(*found);
}

// Takes one number and the dot behind it, if there is one.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) {
    if (text.front() != '.') return std::nullopt;
    text.remove_prefix(1);
  }
  return value;
}

}  // namespace

std::string output_head_key(JobId job) { return output_key_of(job, "output"); }
std::string output_chunks_key(JobId job) { return output_key_of(job, "chunks"); }
std::string output_outcome_key(JobId job) { return output_key_of(job, "outcome"); }

// --- texts ---

std::string encode_head(const OutputHead& head) {
  Tree out{{"last", head.last}};
  for (std::size_t i = 0; i < kOutputChannels; ++i)
    if (const OutputLoss& loss = head.lost[i]; loss.chunks > 0)
      out["lost"][std::string(to_string(static_cast<OutputChannel>(i)))] = {loss.chunks, loss.bytes, loss.until};
  if (!head.stage.empty()) out["stage"] = head.stage;
  if (!head.metrics.empty()) out["metrics"] = json::parse(head.metrics).value_or(nullptr);
  if (!head.place.stream.empty()) out["place"] = {head.place.stream, head.place.number};
  return json::dump(out);
}

OutputHead decode_head(std::string_view text) {
  OutputHead head;
  const auto tree = json::parse_object(text);
  if (!tree) return head;
  head.last = json::natural(*tree, "last").value_or(0);
  head.stage = text_member(*tree, "stage");
  head.metrics = dumped_member(*tree, "metrics");
  if (const Tree* place = json::array(*tree, "place");
      place != nullptr && place->size() == 2 && (*place)[0].is_string() && (*place)[1].is_number_unsigned())
    head.place = {(*place)[0].get<std::string>(), (*place)[1].get<std::uint64_t>()};
  const Tree* lost = json::member(*tree, "lost");
  for (std::size_t i = 0; lost != nullptr && i < kOutputChannels; ++i) {
    const auto loss = json::get<std::vector<std::uint64_t>>(*lost, to_string(static_cast<OutputChannel>(i)).data());
    if (loss && loss->size() == 3) head.lost[i] = {(*loss)[0], (*loss)[1], (*loss)[2]};
  }
  return head;
}

std::string encode_outcome(const OutcomeFacts& facts) {
  Tree out = Tree::object();
  if (!facts.status.empty()) out["status"] = facts.status;
  if (!facts.metadata.empty()) out["metadata"] = json::parse(facts.metadata).value_or(nullptr);
  if (!facts.artifacts.empty()) out["artifacts"] = json::parse(facts.artifacts).value_or(nullptr);
  if (facts.duration) out["duration_ms"] = facts.duration->count();
  return json::dump(out);
}

std::optional<OutcomeFacts> decode_outcome(std::string_view text) {
  const auto tree = json::parse_object(text);
  if (!tree) return std::nullopt;
  OutcomeFacts out{.status = text_member(*tree, "status"),
                   .metadata = dumped_member(*tree, "metadata"),
                   .artifacts = dumped_member(*tree, "artifacts"),
                   .duration = std::nullopt};
  if (const auto ms = json::integer(*tree, "duration_ms")) out.duration = Duration(*ms);
  return out;
}

// Twenty digits hold every number, so that byte order is the order of numbers.
std::string field_of(const OutputBlock& block) {
  return fmt::format("{:020}.{}.{}.{}.{}", block.part, static_cast<unsigned>(block.channel), block.newest, block.chunks,
                     block.bytes);
}

std::optional<OutputBlock> block_of(std::string_view field) {
  const auto part = take_number(field);
  const auto channel = take_number(field);
  const auto newest = take_number(field);
  const auto chunks = take_number(field);
  const auto bytes = take_number(field);
  if (!part || !channel || *channel >= kOutputChannels || !newest || !chunks || !bytes || !field.empty()) return std::nullopt;
  return OutputBlock{*part, static_cast<OutputChannel>(*channel), *newest, *chunks, *bytes};
}

std::string fields_behind(std::uint64_t number) { return fmt::format("{:020}~", number); }

std::string encode_chunks(const std::vector<OutputChunk>& chunks) {
  Tree out = Tree::array();
  for (const OutputChunk& chunk : chunks) {
    Tree one{{"n", chunk.number}, {"f", to_number(chunk.fence)}, {"at", to_ms(chunk.at)}};
    if (chunk.text && is_utf8(chunk.data))
      one["t"] = chunk.data;
    else
      one["b"] = to_base64(chunk.data);
    if (chunk.index) one["i"] = *chunk.index;
    if (!chunk.mime_type.empty()) one["m"] = chunk.mime_type;
    if (!chunk.metadata.empty()) one["x"] = json::parse(chunk.metadata).value_or(nullptr);
    if (chunk.terminal) one["e"] = true;
    out.push_back(std::move(one));
  }
  return json::dump(out);
}

void decode_chunks(std::string_view text, OutputChannel channel, std::uint64_t after, std::vector<OutputChunk>& out) {
  const auto tree = json::parse(text);
  if (!tree || !tree->is_array()) return;
  for (const Tree& one : *tree) {
    OutputChunk chunk;
    chunk.number = json::natural(one, "n").value_or(0);
    if (chunk.number <= after) continue;
    chunk.channel = channel;
    chunk.fence = Fence{json::natural(one, "f").value_or(0)};
    chunk.at = from_ms(json::integer(one, "at").value_or(0));
    const std::string* bytes = json::text(one, "b");
    chunk.text = bytes == nullptr;
    chunk.data = bytes == nullptr ? text_member(one, "t") : from_base64(*bytes).value_or("");
    chunk.index = json::natural(one, "i");
    chunk.mime_type = text_member(one, "m");
    chunk.metadata = dumped_member(one, "x");
    chunk.terminal = json::flag(one, "e").value_or(false);
    out.push_back(std::move(chunk));
  }
}

// --- the index ---

OutputIndex::OutputIndex(OutputHead head, const std::vector<std::string>& fields, OutputBounds bounds)
    : bounds_(bounds), head_(std::move(head)) {
  std::vector<std::string> sorted = fields;
  std::sort(sorted.begin(), sorted.end());
  for (const std::string& field : sorted)
    if (const auto block = block_of(field)) add(*block);
}

void OutputIndex::add(const OutputBlock& block) {
  Channel& channel = channels_[static_cast<std::size_t>(block.channel)];
  channel.blocks.push_back(block);
  channel.bytes += block.bytes;
  bytes_ += block.bytes;
  chunks_ += block.chunks;
  ++blocks_;
}

void OutputIndex::lose(OutputChannel channel, const OutputLoss& loss) {
  OutputLoss& lost = head_.lost[static_cast<std::size_t>(channel)];
  lost.chunks += loss.chunks;
  lost.bytes += loss.bytes;
  lost.until = std::max(lost.until, loss.until);
}

// The channel that has to give up something; nullopt: all is within its bounds.
std::optional<OutputChannel> OutputIndex::too_much() const {
  const auto fattest =
      std::max_element(channels_.begin(), channels_.end(), [](const Channel& a, const Channel& b) { return a.bytes < b.bytes; });
  if (fattest->bytes > bounds_.channel_bytes || bytes_ > bounds_.bytes)
    return static_cast<OutputChannel>(fattest - channels_.begin());
  if (chunks_ <= bounds_.chunks && blocks_ <= bounds_.blocks) return std::nullopt;
  const auto longest = std::max_element(channels_.begin(), channels_.end(),
                                        [](const Channel& a, const Channel& b) { return a.blocks.size() < b.blocks.size(); });
  return static_cast<OutputChannel>(longest - channels_.begin());
}

void OutputIndex::file(std::vector<OutputChunk> part, Change& change) {
  if (part.empty()) return;
  const std::uint64_t last = part.back().number;
  std::map<OutputChannel, std::vector<OutputChunk>> by_channel;
  for (OutputChunk& chunk : part) by_channel[chunk.channel].push_back(std::move(chunk));
  for (auto& [channel, chunks] : by_channel) {
    OutputBlock block{.part = last, .channel = channel, .newest = chunks.back().number, .chunks = chunks.size(), .bytes = 0};
    for (const OutputChunk& chunk : chunks) block.bytes += chunk.bytes();
    change.written.push_back({field_of(block), encode_chunks(chunks)});
    add(block);
  }
}

OutputIndex::Change OutputIndex::append(std::vector<ArrivedChunk> chunks) {
  Change change;
  std::vector<OutputChunk> part;
  std::size_t part_bytes = 0;
  for (ArrivedChunk& arrived : chunks) {
    OutputChunk& chunk = arrived.chunk;
    chunk.number = ++head_.last;
    const std::size_t bytes = chunk.bytes();
    if (arrived.lost_bytes || bytes > bounds_.chunk_bytes) {
      lose(chunk.channel, {.chunks = 1, .bytes = arrived.lost_bytes.value_or(bytes), .until = chunk.number});
      continue;
    }
    if (part_bytes + bytes > bounds_.part_bytes) {
      file(std::exchange(part, {}), change);
      part_bytes = 0;
    }
    part_bytes += bytes;
    part.push_back(std::move(chunk));
  }
  file(std::move(part), change);
  while (const auto channel = too_much()) {
    Channel& from = channels_[static_cast<std::size_t>(*channel)];
    const OutputBlock oldest = from.blocks.front();
    from.blocks.pop_front();
    from.bytes -= oldest.bytes;
    bytes_ -= oldest.bytes;
    chunks_ -= oldest.chunks;
    --blocks_;
    lose(*channel, {.chunks = oldest.chunks, .bytes = oldest.bytes, .until = oldest.newest});
    const std::string field = field_of(oldest);
    // What has only just come need not be written to be removed.
    if (std::erase_if(change.written, [&field](const store::KeyPair& pair) { return pair.first == field; }) == 0)
      change.removed.push_back(field);
  }
  return change;
}

// --- reading ---

OutputPage page_of(const PageAsked& asked, const std::vector<store::KeyPair>& scanned, bool complete) {
  std::size_t count = scanned.size();
  // A part whose blocks may not all be here cannot be put in order.
  if (!complete && count > 0) {
    const auto last = block_of(scanned.back().first);
    while (count > 0 && last && block_of(scanned[count - 1].first).value_or(*last).part == last->part) --count;
  }
  OutputPage page;
  page.next = asked.after;
  page.more = !complete;
  std::size_t begin = 0;
  std::size_t bytes = 0;
  while (begin < count) {
    const auto first = block_of(scanned[begin].first);
    std::vector<OutputChunk> part;
    std::size_t end = begin;
    for (; end < count; ++end) {
      const auto block = block_of(scanned[end].first);
      if (first && block && block->part != first->part) break;
      if (block && (!asked.channel || *asked.channel == block->channel))
        decode_chunks(scanned[end].second, block->channel, asked.after, part);
    }
    std::sort(part.begin(), part.end(), [](const OutputChunk& a, const OutputChunk& b) { return a.number < b.number; });
    for (OutputChunk& chunk : part) {
      if (page.chunks.size() >= asked.limit || (!page.chunks.empty() && bytes + chunk.bytes() > limits::kOutputPageBytesMax)) {
        page.more = true;
        return page;
      }
      bytes += chunk.bytes();
      page.next = chunk.number;
      page.chunks.push_back(std::move(chunk));
    }
    if (first) page.next = std::max(page.next, first->part);
    begin = end;
  }
  return page;
}

}  // namespace muster::engine
