"""What Notion's objects are, without database or network: ids, texts, blocks, columns, values, filters."""
