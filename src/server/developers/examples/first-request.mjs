const { BASE_URL, API_KEY } = process.env;

const answer = await fetch(`${BASE_URL}/me`, { headers: { Authorization: `Bearer ${API_KEY}` } });
console.log(answer.status, await answer.json());
