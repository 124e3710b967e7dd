// Sample data for looking at the page: the words of the sample's five studies.
// Claims and states here are made up; nothing of this is part of a build.
import type {
  AnswerSentence,
  Candidate,
  Claim,
  Entry,
  Place,
  Question,
  Sentence,
  Source,
  Status,
  View,
} from '../src/lib/types'

export const now = new Date().setHours(14, 3, 22, 0)
const min = 60_000

const texts: Record<string, { title: string; parts: [string, string[]][] }> = {
  'fake-news-metadata.md': {
    title: 'Characterizing Political Fake News in Twitter by its Meta-Data',
    parts: [
      [
        'Abstract',
        [
          'This article presents a preliminary approach towards characterizing political fake news on Twitter through the analysis of their meta-data.',
          'In particular, we focus on more than 1.5M tweets collected on the day of the election of Donald Trump as 45th president of the United States of America.',
          'We use the meta-data embedded within those tweets in order to look for differences between tweets containing fake news and tweets not containing them.',
          'Specifically, we perform our analysis only on tweets that went viral, by studying proxies for users’ exposure to the tweets, by characterizing accounts spreading fake news, and by looking at their polarization.',
          'We found significant differences on the distribution of followers, the number of URLs on tweets, and the verification of the users.',
        ],
      ],
      [
        'Results',
        [
          'The sample collected consisted on 1 785 855 tweets published by 848 196 different users.',
          'Within our sample, we identified 1327 tweets that went viral (retweeted more than 1000 times by the 8th of November 2016) produced by 643 users.',
          'Such small subset of viral tweets were retweeted on 290 841 occasions in the observed time-window.',
          'The annotation was carried out by a single person in order to obtain a consistent annotation throughout the dataset.',
        ],
      ],
    ],
  },
  'cyberbullying.md': {
    title: 'Deep Learning for Detecting Cyberbullying Across Multiple Social Media Platforms',
    parts: [
      [
        'Datasets',
        [
          'The dataset includes 12K annotated question and answer pairs.',
          'Each post is manually labeled as cyberbullying or not.',
          'This data set includes over 100k labeled discussion comments from English Wikipedia’s talk pages.',
          'Each comment was labeled by 10 annotators via Crowdflower on whether it contains a personal attack.',
          'There are total 13590 comments labeled as personal attack.',
        ],
      ],
      [
        'Oversampling',
        [
          'The bullying posts were replicated three times in the training data.',
          'Oversampling improved the F1 of every network on all three data sets.',
        ],
      ],
    ],
  },
  'offensive-posts.md': {
    title: 'Predicting the Type and Target of Offensive Posts in Social Media',
    parts: [
      [
        'Conclusion',
        ['The dataset contains 14,100 tweets and is released freely to the research community.'],
      ],
    ],
  },
  'fake-news-accounts.md': {
    title: 'FacTweet: Profiling Fake News Twitter Accounts',
    parts: [
      [
        'Data',
        [
          'For the non-factual accounts, we rely on a list of 180 Twitter accounts.',
          'On the other hand, for the factual accounts, we use a list with another 32 Twitter accounts that are considered trustworthy by independent third parties.',
        ],
      ],
    ],
  },
  'smart-spammers.md': {
    title: 'Detecting “Smart” Spammers On Social Network: A Topic Model Approach',
    parts: [
      [
        'Results',
        [
          'GOSS+LOSS achieves the best performance on F1-score among all others.',
          'After preprocessing steps, the Weibo dataset contains 2197 legitimate users and 802 spammers, and the honeypot dataset contains 2218 legitimate users and 2947 spammers.',
        ],
      ],
    ],
  },
}

export function sentencesOf(name: string): Sentence[] {
  const t = texts[name]
  if (!t) return []
  let n = 0
  return t.parts.flatMap(([heading, list]) =>
    list.map((text, i) => ({ number: ++n, text, heading, start: i === 0, page: 0, mark: false })),
  )
}

const questions = [
  'What data did each study use, and how large is it?',
  'Which methods, features or signals worked best in each study?',
  'Who labelled the data, and how far can the labels be trusted?',
]

const place = (name: string, from: number, to = from): Place => ({
  source: name,
  name,
  title: texts[name]?.title ?? '',
  heading: sentencesOf(name)[from - 1]?.heading ?? '',
  from,
  to,
  page: 0,
})

let serial = 0
function claim(q: number, text: string, name: string, from: number, change: Partial<Claim> = {}): Claim {
  const id = `c${++serial}`
  const p = place(name, from)
  return {
    id,
    text,
    is_quote: false,
    question: `q${q}`,
    trust: 'backed',
    word: 'quote attached',
    standing: 'active',
    flags: [],
    by: 'model',
    by_line: 'gemma3:4b',
    reported: false,
    reason: '',
    quotes: [
      {
        id: `u${serial}`,
        text: sentencesOf(name)[from - 1]?.text ?? '',
        stance: 'supports',
        place: p,
        reported: false,
      },
    ],
    seq: serial,
    verdict: '',
    ...change,
  }
}

const say = (text: string, claims: string[], change: Partial<AnswerSentence> = {}): AnswerSentence => ({
  text,
  claims,
  backed: claims.length > 0,
  stale: false,
  ...change,
})

const candidate = (name: string, n: number, score: number): Candidate => ({
  id: `c-${name}-${n}`,
  text: sentencesOf(name)[n - 1]?.text ?? '',
  place: place(name, n),
  score,
})

export const candidates: Candidate[][] = [
  [candidate('fake-news-metadata.md', 7, 9.1), candidate('smart-spammers.md', 2, 8.2)],
  [
    candidate('smart-spammers.md', 1, 9.8),
    candidate('fake-news-metadata.md', 5, 8.1),
    candidate('cyberbullying.md', 7, 7.7),
    candidate('fake-news-metadata.md', 3, 5.2),
  ],
  [candidate('fake-news-metadata.md', 9, 9.9), candidate('cyberbullying.md', 2, 8.4)],
]

const agreed = { trust: 'agreed', word: 'model agrees' }
const checked = { trust: 'checked', word: 'you checked' }

const claims: Claim[] = [
  claim(1, 'The sample held 1 785 855 tweets by 848 196 users.', 'fake-news-metadata.md', 6),
  claim(
    1,
    'The offensive-language data set holds 14,100 tweets and is free to use.',
    'offensive-posts.md',
    1,
    checked,
  ),
  claim(1, '180 accounts count as non-factual, 32 as factual.', 'fake-news-accounts.md', 1, agreed),
  claim(1, 'Wikipedia comments were labelled by ten experts each.', 'cyberbullying.md', 4, {
    flags: ['says more than its quote: “experts”'],
  }),
  claim(2, 'Replicating bullying posts three times improved every network.', 'cyberbullying.md', 7, {
    standing: 'stale',
  }),
  claim(
    2,
    'We found significant differences on the distribution of followers, the number of URLs on tweets, and the verification of the users.',
    'fake-news-metadata.md',
    5,
    { is_quote: true, standing: 'contested' },
  ),
]

export const retracted: Claim[] = [
  claim(1, 'Formspring posts were 41 % of the data.', 'cyberbullying.md', 1, {
    standing: 'retracted',
    reason: 'number not in its quote',
  }),
]

const blankStatus: Status = {
  state: 'reading',
  sentence: 'Reading 31 of 86 passages',
  detail: '',
  running: true,
  can_run: false,
  done: 31,
  total: 86,
  saved_at: now,
  checkpoint: 14,
  left_s: 3720,
  promise: 'Every document touched by 14:20, everything by 15:05.',
  step: '“Smart spammers”, sentences 14 to 22, for question 2',
  stream: '{"findings":[{"sentence":"17","claim":"GOSS+LOSS achieves the best F1-score"}',
  model: 'gemma3:4b',
  trial: false,
  read_rate: 41,
  write_rate: 6.2,
  gate: 'green',
  reasons: [],
}

function question(n: number, change: Partial<Question>): Question {
  return {
    id: `q${n}`,
    number: n,
    text: questions[n - 1] ?? '',
    status: 'open',
    reason: '',
    coverage: '',
    partial: true,
    answer: [],
    claims: [],
    candidates: [],
    notes: [],
    ...change,
  }
}

export function emptyView(id: string): View {
  return {
    seq: 1,
    id,
    title: 'Finding harmful content and accounts on social media',
    goal: 'How five published studies find spam, fake news, bullying and offensive posts: what data they used, what worked, and how far their data can be trusted.',
    constraints: [],
    example: false,
    at: 0,
    sum: '',
    state_hash: 'h0',
    status: {
      ...blankStatus,
      state: 'new',
      sentence: 'Not started',
      running: false,
      can_run: true,
      done: 0,
      total: 0,
      saved_at: now,
      checkpoint: 0,
      promise: '',
      step: '',
      stream: '',
      left_s: -1,
    },
    questions: questions.map((_, i) => question(i + 1, {})),
    retracted: [],
    to_check: [],
    next: { kind: '', text: '', serves: '', why: '' },
    counts: {
      sources: 0,
      unreadable: 0,
      aside: 0,
      claims: 0,
      checked: 0,
      to_check: 0,
      open: 3,
      parked: 0,
      closed: 0,
      dropped: 0,
    },
    report: [],
    report_stale: false,
    imported: '',
    can_undo: false,
    undo_what: '',
  }
}

export function runningView(id: string): View {
  return {
    ...emptyView(id),
    sum: '+3 claims, 1 retracted (number not in its quote), 2 questions opened, 1 closed, 0 lost',
    state_hash: 'h14',
    status: blankStatus,
    questions: [
      question(1, {
        coverage: 'so far, from 4 of 5 documents; 22 of 34 passages read',
        claims: claims.filter((c) => c.question === 'q1'),
        answer: [
          say('Four studies report their size: about 1.8 million tweets around an election,', ['c1']),
          say('14,100 labelled tweets,', ['c2']),
          say('and 212 accounts.', ['c3']),
          say('The largest of them is the most reliable.', []),
        ],
        notes: [
          {
            id: 'n1',
            on: 'q1',
            text: 'is “viral” defined the same way in both studies?',
            for: 'M.',
            due: 'Friday',
            by: 'person',
          },
        ],
      }),
      question(2, {
        coverage: 'partial, from 2 of 5 documents; one answer rests on something that changed',
        claims: claims.filter((c) => c.question === 'q2'),
      }),
      question(3, { coverage: 'nothing read for it yet' }),
    ],
    retracted,
    to_check: [
      {
        kind: 'note',
        text: 'For M., by Friday: is “viral” defined the same way in both studies?',
        on: 'q1',
        count: 1,
      },
      { kind: 'says_more', text: '1 claim says more than its quote', on: '', count: 1 },
      {
        kind: 'contested',
        text: '2 claims disagree on the number of spammers, 802 / 2947',
        on: 'c6',
        count: 2,
      },
      { kind: 'unreadable', text: '1 file can’t be read', on: '', count: 1 },
      { kind: 'unchecked', text: '5 claims nobody has checked', on: '', count: 5 },
    ],
    next: {
      kind: 'read',
      text: 'Read 3 passages of “Smart spammers”',
      serves: 'for question 2, about 1 minute',
      why: 'Chosen for expected new evidence; the model may not choose otherwise here.',
    },
    counts: {
      sources: 6,
      unreadable: 1,
      aside: 0,
      claims: 6,
      checked: 1,
      to_check: 5,
      open: 3,
      parked: 0,
      closed: 0,
      dropped: 0,
    },
    can_undo: true,
    undo_what: 'your check of “The offensive-language data set…”',
  }
}

export function doneView(id: string): View {
  const v = runningView(id)
  return {
    ...v,
    title: 'Example: five studies',
    example: true,
    imported: '',
    sum: '+0 claims, report written, 0 lost',
    status: {
      ...v.status,
      state: 'done',
      sentence: 'Done: every question answered',
      running: false,
      can_run: false,
      done: 86,
      promise: '',
      step: '',
      stream: '',
      left_s: -1,
      checkpoint: 21,
    },
    questions: v.questions.map((q) => ({
      ...q,
      status: 'closed',
      partial: false,
      coverage: 'from 5 of 5 documents',
      claims: q.claims.map((c) => ({
        ...c,
        by: 'person',
        by_line: 'example written by the makers',
        standing: 'active',
      })),
    })),
    next: { kind: '', text: '', serves: '', why: '' },
    counts: { ...v.counts, open: 0, closed: 3 },
    can_undo: false,
    undo_what: '',
    report: [
      {
        heading: 'Data',
        sentences: [
          say('The five studies differ in size by four orders of magnitude.', []),
          say(
            'The largest followed an election day on Twitter and holds 1 785 855 tweets by 848 196 users.',
            ['c1'],
          ),
          say('The set for offensive language has 14,100 tweets and is released freely.', ['c2']),
          say('The smallest compares 180 accounts that count as non-factual with 32 that count as factual.', [
            'c3',
          ]),
        ],
      },
      {
        heading: 'What worked',
        sentences: [
          say('Followers, links and verification separate viral fake news from the rest.', ['c6']),
          say('Replicating the bullying posts three times improved every network.', ['c5'], { stale: true }),
        ],
      },
    ],
  }
}

export const sources: Source[] = [
  ...Object.keys(texts).map(
    (name, i): Source => ({
      id: name,
      name,
      title: texts[name]?.title ?? '',
      media: 'Markdown',
      status: 'readable',
      reason: '',
      bytes: 3054 + i * 97,
      sentences: sentencesOf(name).length,
      pages: 0,
      claims: claims.filter((c) => c.quotes[0]?.place.source === name).length,
      cells: questions.map((_, k) => ({
        question: `q${k + 1}`,
        shown:
          [
            [1, 0.6, 0.2],
            [1, 0.5, 0],
            [0.5, 0.2, 0],
            [0.6, 0, 0],
            [0, 0, 0],
          ][i]?.[k] ?? 0,
        claims:
          [
            [2, 1, 0],
            [2, 1, 0],
            [1, 0, 0],
            [1, 0, 0],
            [0, 0, 0],
          ][i]?.[k] ?? 0,
      })),
    }),
  ),
  {
    id: 'scan.pdf',
    name: 'minutes-1962-scan.pdf',
    title: '',
    media: 'PDF',
    status: 'unreadable',
    reason: 'Scanned pages without text. Install tesseract to recognise it, or leave it out.',
    bytes: 4_812_000,
    sentences: 0,
    pages: 12,
    claims: 0,
    cells: [],
  },
]

const entry = (
  seq: number,
  ago: number,
  kind: string,
  text: string,
  detail = '',
  checkpoint = 0,
  took_ms = 0,
): Entry => ({
  seq,
  at: now - ago * min,
  kind,
  text,
  detail,
  checkpoint,
  took_ms,
})

export const entries: Entry[] = [
  entry(
    61,
    0,
    'step',
    'Read 4 passages of “Metadata study”',
    '3 claims accepted, 1 refused: the model gave 41 %, its quote says 14 %',
    14,
    72_000,
  ),
  entry(60, 1, 'refuse', 'Refused: the model gave 41 %, its quote says 14 %.', 'number not in the quote'),
  entry(59, 1, 'call', 'Called gemma3:4b', '1,204 tokens in, 96 out', 0, 41_000),
  entry(
    55,
    2,
    'resume',
    'Resumed at the same step',
    'Interrupted at 12:46:10 in step 12. Nothing lost, one call repeated.',
  ),
  entry(54, 76, 'sleep', 'Asleep for 1 h 14 min (lid closed)'),
  entry(
    50,
    77,
    'person',
    'You checked a claim',
    '“The offensive-language data set holds 14,100 tweets…”',
    13,
  ),
  entry(40, 78, 'step', 'Searched for question 1', '18 candidates in 5 documents', 12, 200),
  entry(30, 79, 'step', 'Plan: 3 questions, as you wrote them', '', 11, 30),
  entry(12, 60 * 26, 'step', 'Took in 6 files', '5 can be read, 1 not', 1, 1_900),
]
