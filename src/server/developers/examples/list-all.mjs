const { BASE_URL, API_KEY } = process.env;

/** All rows of a list, page by page. `filters` go with the cursor on every page. */
export async function* all(path, filters = {}) {
  let cursor;
  do {
    const query = new URLSearchParams({ ...filters, limit: '200', ...(cursor && { cursor }) });
    const answer = await fetch(`${BASE_URL}${path}?${query}`, { headers: { Authorization: `Bearer ${API_KEY}` } });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    const page = await answer.json();
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor);
}

for await (const training of all('/trainings', { status: 'scored' })) console.log(training.id);
