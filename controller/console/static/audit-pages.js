// Pages of a query. A reply has at most 200 rows and says with `next` how to ask for those that follow.

/** All rows of a query, page after page, up to a number of pages; `more` is true where there would have been others. */
export async function all(ask, name, rows, fields, mostPages, until = () => false) {
  const found = [];
  let after = "";
  for (let page = 1; ; page += 1) {
    const reply = await ask(name, { ...fields, limit: 200, ...(after ? { after } : {}) });
    found.push(...reply[rows]);
    if (!reply.next || until(reply[rows][reply[rows].length - 1])) return { rows: found, more: false };
    if (page >= mostPages) return { rows: found, more: true };
    after = reply.next;
  }
}

/** A query shown page by page. `draw(reply, first)` gets each reply and the number of rows before it. */
export class Pages {
  #before = []; // how the pages before were asked for, and how many rows each had
  #after = "";
  #first = 0;

  constructor(ask, name, rows, fields, limit, draw) {
    Object.assign(this, { ask, name, rows, fields, limit, draw });
  }

  async show() {
    const reply = await this.ask(this.name, { ...this.fields, limit: this.limit, ...(this.#after ? { after: this.#after } : {}) });
    const shownRows = reply[this.rows].length;
    const turn = (way) => this.#turn(way, reply.next, shownRows);
    this.draw(reply, { first: this.#first, shownRows, earlier: this.#before, next: reply.next, turn });
  }

  async #turn(way, next, shownRows) {
    const kept = [this.#after, this.#first, [...this.#before]];
    if (way === "next") {
      this.#before.push([this.#after, this.#first]);
      this.#after = next;
      this.#first += shownRows;
    } else {
      [this.#after, this.#first] = this.#before.pop();
    }
    try {
      await this.show();
    } catch (error) {
      [this.#after, this.#first, this.#before] = kept; // it was not shown: the page is the one before still
      throw error;
    }
  }
}
