"""German, Russian and Chinese pages about sailing, told from pages about cooking and politics. The texts are ours."""
# ruff: noqa: E501  # running text in three languages

from __future__ import annotations

import pytest

from clew.config import JudgeSettings
from clew.judges.registry import make
from clew.model import OTHER, Example
from support import text_page

GERMAN = {
    "wanted": [
        "Am Samstag segelten wir mit dem alten Boot aus dem Hafen. Der Wind kam aus Westen, das Segel stand gut, und "
        "der Skipper ließ uns abwechselnd ans Ruder. Nach der Wende mussten wir das Vorsegel reffen.",
        "Die Regatta begann bei leichtem Wind. Zwölf Boote kreuzten vor der Startlinie, die Mannschaft trimmte die "
        "Segel, und an der zweiten Boje lag die kleine Jolle vorn. Im Hafen feierten die Segler bis spät.",
        "Wer eine Yacht kauft, sollte Rumpf, Mast und Segel prüfen. Ein Riss im Kiel ist teuer. Segler fragen auch nach "
        "dem Liegeplatz im Hafen und nach dem Zustand der Leinen.",
    ],
    "other": [
        "Für den Teig das Mehl sieben, die Butter in Stücke schneiden und mit Zucker verrühren. Den Kuchen bei mittlerer "
        "Hitze backen, bis er goldbraun ist, und vor dem Servieren abkühlen lassen.",
        "Der Bundestag beriet am Donnerstag über den Haushalt. Die Opposition verlangte niedrigere Steuern, der Minister "
        "verteidigte die Ausgaben, und am Abend stimmte die Mehrheit für das Gesetz.",
        "Die Suppe mit Salz und Pfeffer würzen, die Kartoffeln weich kochen und zum Schluss Petersilie darüberstreuen. "
        "Dazu passt frisches Brot aus dem Ofen.",
    ],
    "yes": "Der junge Segler steuerte sein Boot durch die Wellen, das Großsegel flatterte im Wind, und im Hafen von "
    "Stralsund wartete die Mannschaft mit den Leinen.",
    "no": "Das Gemüse in der Pfanne mit Butter anbraten, mit Salz würzen und zur Suppe geben; der Minister isst gern "
    "Kuchen und spricht über Steuern.",
}
RUSSIAN = {
    "wanted": [
        "В субботу мы вышли на яхте из гавани. Ветер дул с запада, парус стоял хорошо, и капитан по очереди пускал нас к "
        "рулю. После поворота пришлось убрать передний парус.",
        "Регата началась при слабом ветре. Двенадцать лодок лавировали у стартовой линии, команда настраивала паруса, и "
        "у второго буя впереди шла маленькая яхта.",
        "Тот, кто покупает яхту, проверяет корпус, мачту и паруса. Трещина в киле обходится дорого. Моряки спрашивают и "
        "о стоянке в гавани.",
    ],
    "other": [
        "Для теста просейте муку, нарежьте масло и смешайте с сахаром. Пеките пирог на среднем огне до золотистой корочки "
        "и дайте ему остыть.",
        "Парламент в четверг обсуждал бюджет. Оппозиция требовала снизить налоги, министр защищал расходы, а вечером "
        "большинство проголосовало за закон.",
        "Посолите суп, добавьте перец, отварите картофель до мягкости и посыпьте зеленью. К супу подайте свежий хлеб.",
    ],
    "yes": "Молодой капитан вёл свою лодку по волнам, парусами играл ветер, а в гавани команду ждали друзья с регаты.",
    "no": "Обжарьте овощи в масле, посолите и добавьте в суп; министр любит пироги и говорит о налогах и бюджете.",
}
CHINESE = {
    "wanted": [
        "星期六我们驾驶帆船离开港口。风从西边吹来，船帆张得很好，船长让我们轮流掌舵。转向以后，我们收起了前帆。",
        "帆船比赛在微风中开始。十二艘帆船在起点线前来回航行，船员调整船帆，小帆船在第二个浮标处领先。",
        "购买帆船的人应该检查船体、桅杆和船帆。龙骨开裂修理很贵。水手还会询问港口的泊位和缆绳的情况。",
    ],
    "other": [
        "把面粉过筛，黄油切成小块，和白糖一起搅拌。蛋糕用中火烤到金黄色，放凉以后再端上桌。",
        "议会星期四讨论了财政预算。反对党要求降低税收，部长为支出辩护，晚上多数议员投票通过了法律。",
        "汤里加盐和胡椒，土豆煮软，最后撒上香菜。配上刚出炉的面包最好吃。",
    ],
    "yes": "年轻的水手驾着帆船穿过海浪，主帆在风中飘扬，船员在港口拿着缆绳等待比赛的帆船。",
    "no": "蔬菜用黄油炒一下，加盐放进汤里；部长喜欢吃蛋糕，也喜欢谈论税收和预算。",
}
ARABIC = {
    "wanted": [
        "يوم السبت أبحرنا بالقارب الشراعي من الميناء. هبت الريح من الغرب وكان الشراع مشدودا، وترك لنا القبطان الدفة بالتناوب. "
        "بعد الدوران طوينا الشراع الأمامي.",
        "بدأ سباق القوارب الشراعية مع ريح خفيفة. أبحر اثنا عشر قاربا عند خط البداية، وضبط البحارة الأشرعة، وتقدم القارب الصغير "
        "عند العوامة الثانية.",
        "من يشتري قاربا شراعيا يفحص البدن والصاري والأشرعة. إصلاح العارضة مكلف. ويسأل البحارة عن المرسى في الميناء وعن الحبال.",
    ],
    "other": [
        "انخل الدقيق وقطع الزبدة واخلطها مع السكر. اخبز الكعكة على نار متوسطة حتى تصبح ذهبية واتركها تبرد قبل التقديم.",
        "ناقش البرلمان يوم الخميس الميزانية. طالبت المعارضة بخفض الضرائب ودافع الوزير عن الإنفاق، وفي المساء صوتت الأغلبية لصالح "
        "القانون.",
        "أضف الملح والفلفل إلى الحساء واسلق البطاطس حتى تنضج ورش البقدونس في النهاية. يقدم معه خبز طازج من الفرن.",
    ],
    "yes": "قاد البحار الشاب القارب الشراعي بين الأمواج، وكان الشراع يرفرف في الريح، وانتظر البحارة في الميناء ومعهم الحبال.",
    "no": "اقل الخضار بالزبدة مع الملح وأضفها إلى الحساء؛ الوزير يحب الكعكة ويتحدث عن الضرائب والميزانية.",
}
LANGUAGES = {"de": GERMAN, "ru": RUSSIAN, "zh": CHINESE, "ar": ARABIC}


@pytest.mark.parametrize("judge", ["default", "naive-bayes", "svm", "logistic", "centroid", "ensemble"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_judged_in_their_language(language: str, judge: str) -> None:
    texts = LANGUAGES[language]
    examples = [Example(f"yes {i}", 0, text_page(text, language)) for i, text in enumerate(texts["wanted"])]
    examples += [Example(f"no {i}", OTHER, text_page(text, language)) for i, text in enumerate(texts["other"])]
    made = make(JudgeSettings().name if judge == "default" else judge)
    made.fit(examples)
    yes, no = made.judge([text_page(str(texts["yes"]), language), text_page(str(texts["no"]), language)])
    assert yes.scores[0] > 0.5 > no.scores[0], (yes.scores, no.scores)
    assert yes.scores[0] - no.scores[0] > 0.2
    assert made.explain(text_page(str(texts["yes"]), language))[0][1] > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_positive_examples_alone_make_a_judge_in_each_language(language: str) -> None:
    texts = LANGUAGES[language]
    examples = [Example(f"yes {i}", 0, text_page(text, language)) for i, text in enumerate(texts["wanted"])]
    made = make(JudgeSettings().name)
    made.fit(examples)
    yes, no = made.judge([text_page(str(texts["yes"]), language), text_page(str(texts["no"]), language)])
    assert yes.scores[0] > no.scores[0], (yes.scores, no.scores)
