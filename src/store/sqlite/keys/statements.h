// The keyspace's statements of one connection, prepared at open from sql/key_*.sql. A member is named like its file, without the
// key_.
#pragma once

#include "store/sqlite/db.h"

namespace muster::store::sqlite {

struct KeyStatements {
  explicit KeyStatements(Connection& c);

  Statement find;
  Statement insert;
  Statement write;
  Statement remove;
  Statement rename;
  Statement names;
  Statement count;
  Statement clear_texts;
  Statement retire;
  Statement retire_first;
  Statement version;
  Statement whole_begin;
  Statement whole_undo;
  Statement whole_end;
  Statement text;
  Statement put_text;
  Statement expired;
  Statement next_expiry;
  Statement items_left;
  Statement items_right;
  Statement items_past_left;
  Statement items_past_right;
  Statement positions_left;
  Statement positions_right;
  Statement item_put;
  Statement items_delete;
  Statement items_delete_all;
  Statement items_delete_some;
  Statement field;
  Statement field_insert;
  Statement field_update;
  Statement field_delete;
  Statement fields;
  Statement field_at;
  Statement fields_delete_all;
  Statement fields_delete_some;
  Statement score;
  Statement score_insert;
  Statement score_update;
  Statement score_delete;
  Statement scores_up;
  Statement scores_down;
  Statement scores_up_past;
  Statement scores_down_past;
  Statement scores_between_up;
  Statement scores_between_down;
  Statement scores_between_up_past;
  Statement scores_between_down_past;
  Statement scores_count;
  Statement scores_rank;
  Statement scores_after;
  Statement scores_delete_all;
  Statement scores_delete_some;
};

}  // namespace muster::store::sqlite
