-- Rows are found by their related pages too: what is stored of relations goes into the index.

INSERT OR IGNORE INTO choice (data_source, column_id, value, page)
SELECT source.id, json_extract(columns.value, '$.id'), related.value, page.seq
FROM node AS source
JOIN json_each(source.body, '$.columns') AS columns
JOIN node AS page ON page.parent = source.id AND page.kind = 'page'
JOIN json_each(page.body, '$.values') AS held ON held.key = json_extract(columns.value, '$.id')
JOIN json_each(held.value) AS related
WHERE source.kind = 'data_source' AND json_extract(columns.value, '$.type') = 'relation'
    AND held.type = 'array';
