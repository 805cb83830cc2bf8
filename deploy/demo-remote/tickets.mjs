/** Tickets of people, in memory. Everybody has a first one, so that a list shows whose it is. */

const maxTickets = 100;
const firstTitles = { ada: 'Renew the certificate', max: 'Replace the lamp of the projector' };

export function openTickets() {
  const byPerson = new Map();
  const of = (person) => {
    const own = byPerson.get(person) ?? [
      ticketOf(person, 1, { title: firstTitles[person] ?? 'Say hello', priority: 'normal' }),
    ];
    byPerson.set(person, own);
    return own;
  };
  return {
    /** Those of the person, the oldest first. */
    list: (person) => [...of(person)],
    /** Returns the new ticket; null when the person has as many as a demo needs. */
    create(person, fields) {
      const own = of(person);
      if (own.length >= maxTickets) {
        return null;
      }
      const ticket = ticketOf(person, own.length + 1, fields);
      own.push(ticket);
      return ticket;
    },
  };
}

const ticketOf = (person, number, { title, priority }) => ({
  id: `${person.toUpperCase()}-${number}`,
  title,
  priority,
});
